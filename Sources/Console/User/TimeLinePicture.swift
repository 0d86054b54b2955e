import API
import APIModel
import Domain

/// The time line as SVG, with a table that says the same.
struct TimeLinePicture {
    let visit: Visit

    func markup(_ facts: UserFacts) -> Markup {
        let events = facts.events.events
        let line = TimeLine(facts.record.contracts, events: events, amounts: amounts(of: events), now: visit.now)
        guard let line else { return .empty }
        let states = line.lanes.flatMap(\.bands).map(\.span.state)
        let legend = Set(states).sorted().map { state in
            visit["time_line.legend"].render(["state": Self.word(state), "name": StoreWords.state(state)])
        }
        let bottom = line.height - 22
        return visit["time_line"].render([
            "width": number(TimeLine.width), "height": number(line.height), "bottom": number(bottom),
            "lanes": line.lanes.map(lane).joined(), "names": line.lanes.map(name).joined(), "now": number(line.nowX),
            "now_text": number(min(line.nowX, TimeLine.width - 28)),
            "ticks": line.ticks.map { tick($0, bottom: bottom) }.joined(), "legend": legend.joined(),
            "rows": line.lanes.map(rows).joined(),
            "hidden": line.hidden > 0 ? "\(line.hidden) more contracts are in the table below." : "",
        ])
    }

    /// What the newest charges and refunds were, as far as the store's words are still kept.
    private func amounts(of events: [FeedItem]) -> [String: String] {
        let told = events.filter { [.charge, .refund].contains(EventNames.mark($0.kind)) }
        return visit.api.answers(about: told).compactMapValues { answer in
            StoreWords.price(answer.statement?.price, currency: answer.statement?.currency)
        }
    }

    private func number(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }

    private func tick(_ tick: TimeLine.Tick, bottom: Double) -> Markup {
        visit["time_line.tick"].render(["x": number(tick.x), "text": tick.text, "bottom": number(bottom)])
    }

    /// Above all else, or the line of now would cross it.
    private func name(_ lane: TimeLine.Lane) -> Markup {
        visit["time_line.lane_name"].render(["name": lane.name, "y": number(lane.y + 12)])
    }

    private func lane(_ lane: TimeLine.Lane) -> Markup {
        let isMixed = Set(lane.bands.map(\.span.product)).count > 1
        return visit["time_line.lane"].render([
            "bands": lane.bands.map { band($0, y: lane.y + 20, isMixed: isMixed) }.joined(),
            "marks": zip(lane.marks, lane.marks.dropFirst().map(\.x) + [TimeLine.width])
                .map { mark($0, until: $1, y: lane.y + 34) }.joined(),
        ])
    }

    /// Where a lane has several products, the label has the product too, if there is room.
    private func band(_ band: TimeLine.Band, y: Double, isMixed: Bool) -> Markup {
        let state = StoreWords.state(band.span.state)
        let times = "from \(ConsoleTime.text(band.span.start)) to \(ConsoleTime.text(band.span.end))"
        // A letter of this size takes some 6.3 units.
        let label = (isMixed ? ["\(state), \(band.span.product)", state] : [state])
            .first { band.width > Double($0.count) * 6.3 + 20 }
        return visit["time_line.band"].render([
            "x": number(band.x), "y": number(y), "width": number(band.width), "state": Self.word(band.span.state),
            "ahead": band.isAhead ? "ahead" : "", "label_x": number(band.x + 10), "label_y": number(y + 43),
            "title": "\(Self.what(band)), \(times)", "label": band.isAhead ? "" : label ?? "",
        ])
    }

    /// The amount stands behind the mark if there is room before the next one.
    private func mark(_ mark: TimeLine.Mark, until next: Double, y: Double) -> Markup {
        let (moment, label) = (mark.moment, mark.moment.amount ?? "")
        let title = "\(Self.what(moment)), \(ConsoleTime.text(moment.at))"
        let picture = visit["time_line.\(moment.kind.rawValue)"].render([
            "x": number(mark.x), "y": number(y), "title": title,
        ])
        guard !label.isEmpty, next - mark.x > Double(label.count) * 6.3 + 18 else { return picture }
        let text = visit["time_line.amount"].render(["x": number(mark.x + 9), "y": number(y + 4), "text": label])
        return picture + text
    }

    private func rows(_ lane: TimeLine.Lane) -> Markup {
        let bands = lane.bands.map { ($0.span.start, Self.what($0), Optional($0.span.end)) }
        let marks = lane.marks.map { ($0.moment.at, Self.what($0.moment), Instant?.none) }
        return (bands + marks).sorted { $0.0 < $1.0 }.map { start, what, end in
            visit["time_line.row"].render([
                "name": lane.name, "what": what, "from": visit.time(start.iso8601), "to": visit.time(end?.iso8601),
            ])
        }.joined()
    }

    private static func what(_ moment: ContractHistory.Moment) -> String {
        [moment.title, moment.amount].compactMap { $0 }.joined(separator: ", ")
    }

    private static func what(_ band: TimeLine.Band) -> String {
        "\(StoreWords.state(band.span.state)), \(band.span.product)" + (band.isAhead ? ", as far as is known" : "")
    }

    /// A state that the style sheet knows.
    private static func word(_ state: String) -> String { ContractState(rawValue: state) == nil ? "unknown" : state }
}
