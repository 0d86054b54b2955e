import APIModel
import Domain
import Encoding
import HTTP
import Pages

/// `/console/events/{id}`: one event, what decided about it, and its way. The store's own words only by a form, since the
/// audit says who has read them.
struct EventPage: ConsolePage {
    /// The store's id, or a cursor.
    let id: String

    func show(_ visit: Visit) throws(ConsoleError) -> Response { try page(visit, withBody: false) }

    func act(_ visit: Visit, form: Query) throws(ConsoleError) -> Response { try page(visit, withBody: true) }

    private func page(_ visit: Visit, withBody: Bool) throws(ConsoleError) -> Response {
        if withBody, !visit.may(.personal) {
            throw .forbidden("This needs the right personal, which the key \(visit.session.name) does not have here.")
        }
        let query = withBody ? [(name: "body", value: "true")] : []
        let answer = try visit.api.get(EventAnswer.self, from: .event(id: id), query: query)
        let event = answer.event
        let type = [event.type ?? event.kind, event.subtype].compactMap { $0 }.joined(separator: " ")
        let body = visit.render(
            "event",
            [
                "type": .text(type), "sentence": .text(EventStory.sentence(of: event)),
                "newer": .markup(newer(answer.newer, visit) + claim(event, visit)),
                "facts": .markup(facts(event, visit)),
                "way_note": .text(EventStory.note(on: answer.way)), "way": .markup(way(answer, visit)),
                "hooks": .markup(try hooks(event, visit)), "changes": .markup(changes(event, visit)),
                "fragments": .markup(fragments(event, visit)),
                "statement": .markup(statement(answer.statement, visit)),
                "body": .markup(words(event, withBody: withBody, visit)),
            ]
        )
        return visit.page("Event \(InertText.of(type))", body)
    }

    private func newer(_ newer: FeedItem?, _ visit: Visit) -> Markup {
        guard let newer else { return .empty }
        let id = PercentEncoding.encode(newer.cursor)
        return visit.render("event.newer", ["id": .field(id), "at": .markup(visit.time(newer.occurredAt))])
    }

    /// The way to give a purchase that nobody has to somebody.
    private func claim(_ event: FeedItem, _ visit: Visit) -> Markup {
        guard event.outcome == Outcome.unclaimed.rawValue, let id = event.event, visit.may(.act) else { return .empty }
        return visit.render("event.claim", ["id": .field(PercentEncoding.encode(id))])
    }

    private func facts(_ event: FeedItem, _ visit: Visit) -> Markup {
        func link(_ name: String, _ text: String?, to address: (String) -> String) -> Markup {
            guard let text else { return .empty }
            let values: [String: TemplateValue] = ["address": .field(address(text)), "text": .text(text)]
            return visit.render(
                "event.linked",
                ["name": .text(name), "value": .markup(visit.render("event.link", values))]
            )
        }
        func search(_ text: String) -> String { "search?q=\(PercentEncoding.encode(text))" }
        return visit.facts([
            ("Outcome", event.outcome), ("Our name for it", event.kind), ("Store", event.provider),
            ("Environment", event.environment), ("Product", event.product), ("Event", event.event),
            ("Cursor", event.cursor),
        ]) + link("User", event.user?.text) { "users/\(PercentEncoding.encode($0))" }
            + link("Contract", event.contract, to: search) + link("Order", event.order, to: search)
    }

    private func way(_ answer: EventAnswer, _ visit: Visit) -> Markup {
        let (event, way) = (answer.event, answer.way)
        let pages = way.map { $0.pages == 1 ? "1 page" : "\($0.pages) pages" } ?? ""
        let steps: [(name: String, at: String?, after: Int64?)] = [
            ("Signed by the store", event.occurredAt, nil), ("First byte", event.receivedAt, way.map { _ in 0 }),
            ("Proven genuine", nil, way?.verified), ("Committed", event.at, way?.committed),
            ("Rendered", nil, way?.rendered), ("First socket", nil, way?.firstPage),
            ("Last socket, of \(pages)", nil, way?.lastPage),
        ]
        return steps.filter { $0.at != nil || $0.after != nil }.map { step in
            visit.render(
                "event.step",
                [
                    "name": .text(step.name), "at": .markup(time(step.at, visit)),
                    "after": .text(step.after.map(EventStory.milliseconds) ?? ""),
                ]
            )
        }.joined()
    }

    /// With milliseconds, as the steps have them.
    private func time(_ iso8601: String?, _ visit: Visit) -> Markup {
        guard let iso8601, let instant = Instant(iso8601: iso8601) else { return .empty }
        let text = ConsoleTime.milliseconds(instant)
        return visit.render("parts.time", ["iso": .text(iso8601), "text": .text(text)])
    }

    private func hooks(_ event: FeedItem, _ visit: Visit) throws(ConsoleError) -> Markup {
        guard let user = event.user, visit.may(.operate) else { return .empty }
        let query = [(name: "user", value: user.text)]
        let found = try visit.api.get(HookDeliveriesAnswer.self, from: .hookDeliveries, query: query).deliveries
        guard !found.isEmpty else { return .empty }
        let rows = found.map { delivery in
            visit.render(
                "event.hook",
                [
                    "url": .text(delivery.url), "type": .text(delivery.type), "state": .text(delivery.state),
                    "ended": .markup(visit.time(delivery.endedAt)), "reason": .text(delivery.reason ?? ""),
                ]
            )
        }
        return visit.render("event.hooks", ["rows": .markup(rows.joined())])
    }

    private func changes(_ event: FeedItem, _ visit: Visit) -> Markup {
        guard event.state != nil || event.previousState != nil else {
            return visit.render("events.nothing", ["text": "It changed no contract."])
        }
        let access = event.active.map { isActive in
            let end = event.accessUntil.flatMap { Instant(iso8601: $0) }.map { ", until \(ConsoleTime.text($0))" }
            return isActive ? "yes\(end ?? "")" : "no"
        }
        let givesAccess = event.previousState.flatMap { ContractState(rawValue: $0)?.givesAccess }
        return visit.render(
            "event.changes",
            [
                "before": .text(event.previousState ?? "nothing was known of it"), "after": .text(event.state ?? ""),
                "access_before": .text(givesAccess.map { $0 ? "as far as the state says, yes" : "no" } ?? "no"),
                "access": .text(access ?? ""),
            ]
        )
    }

    private func fragments(_ event: FeedItem, _ visit: Visit) -> Markup {
        guard !event.fragments.isEmpty else {
            return visit.render("events.nothing", ["text": "No page was told anything."])
        }
        let rows = event.fragments.map { fragment in
            visit.render(
                "event.fragment",
                [
                    "stream": .text(fragment.stream), "action": .text(fragment.action),
                    "target": .text(fragment.target ?? ""), "template": .text(fragment.fragment ?? ""),
                ]
            )
        }
        return visit.render("event.fragments", ["rows": .markup(rows.joined())])
    }

    private func statement(_ item: StatementItem?, _ visit: Visit) -> Markup {
        guard let item else {
            return visit.render(
                "events.nothing",
                ["text": "Nothing of a contract, or its words are no longer kept."]
            )
        }
        let price = item.price.map { "\(Double($0) / 1000) \(item.currency ?? "")" }
        let facts = visit.facts([
            ("State", item.state), ("Product", item.product), ("Next product", item.pendingProduct),
            ("Renews", item.autoRenew.map { $0 ? "yes" : "no" }), ("Access until", EventStory.date(item.accessUntil)),
            ("Charge", item.transaction), ("Bought", EventStory.date(item.purchasedAt)),
            ("Paid until", EventStory.date(item.expiresAt)),
            ("Revoked", EventStory.date(item.revokedAt)), ("Price", price), ("Order's token", item.order),
            ("Group", item.group),
            ("Kind", item.kind), ("App", item.app), ("Replaces", item.replaces),
            ("Family sharing", item.family ? "yes" : nil),
        ])
        return visit.render("event.statement", ["facts": .markup(facts)])
    }

    private func words(_ event: FeedItem, withBody: Bool, _ visit: Visit) -> Markup {
        guard event.event != nil, visit.may(.personal) else { return .empty }
        guard withBody else { return visit.render("event.ask", ["id": .field(PercentEncoding.encode(id))]) }
        let text = event.body.map { $0.isEmpty ? "They are no longer kept." : InertText.of($0, limit: .max) }
        return visit.render("event.body", ["text": .field(text ?? "The store sent none.")])
    }
}

extension Visit {
    /// Names and values; those that are nil are left out.
    func facts(_ facts: [(name: String, value: String?)]) -> Markup {
        facts.map { fact in
            fact.value.map { render("event.fact", ["name": .text(fact.name), "value": .text($0)]) } ?? .empty
        }.joined()
    }
}

/// What an event's members mean, in sentences.
enum EventStory {
    static func sentence(of event: FeedItem) -> String {
        if let reason = event.reason { return "\(event.outcome ?? ""): \(reason)." }
        guard let state = event.state else { return "The ledger committed it by itself (\(event.kind))." }
        let until = event.accessUntil.flatMap { Instant(iso8601: $0) }.map { ", until \(ConsoleTime.day($0))" } ?? ""
        guard let before = event.previousState else { return "With it the contract began: \(state)\(until)." }
        if before == state { return "The contract stayed \(state)\(until)." }
        return "The contract changed from \(before) to \(state)\(until)."
    }

    static func note(on way: EventWay?) -> String {
        guard let way else { return "This node has not received it since its start, or has forgotten its way." }
        let again =
            switch way.duplicates {
            case 0: "The store has not sent it again."
            case 1: "The store has sent it once more since."
            default: "The store has sent it \(way.duplicates) more times since."
            }
        return "Through this node. \(again)"
    }

    /// In words; nil for no date.
    static func date(_ iso8601: String?) -> String? {
        iso8601.flatMap { Instant(iso8601: $0) }.map(ConsoleTime.text)
    }

    /// `1.4 ms`.
    static func milliseconds(_ microseconds: Int64) -> String { "\(Double(microseconds / 10) / 100) ms" }
}
