import APIModel
import Domain
import Encoding
import Simulator

/// Prints what `trigger` did.
struct PlayReport {
    enum Style {
        /// One event: three lines.
        case single
        /// One line for each delivery.
        case lines
        /// The server's answer to the one event, unchanged.
        case answer
        /// One line of JSON for each delivery.
        case json
    }

    /// Printed if the server's answer has no outcome, and the feed has reported none.
    static let unknown = "unknown"

    let style: Style

    func show(_ act: TriggeredDelivery) {
        switch style {
        case .single:
            guard let delivery = act.delivery, delivery.isTaken else { return }
            let outcome = delivery.outcome ?? PlayReport.unknown
            printColumns([("outcome", outcome), ("event", delivery.event), ("cursor", delivery.cursor ?? "-")])
        case .lines: printText(line(act))
        case .answer: printJSON(answer(act))
        case .json: printJSON(Array(json(act).utf8))
        }
    }

    /// The page has received the expected fragment.
    func show(_ expected: Expectation, in message: PageWatch.Message) {
        switch style {
        case .single: printText("page     \(message.description)")
        case .lines: printText(padded("page", to: 14) + message.description)
        case .answer, .json: printJSON(JSON.encode(["page": message.fragments]))
        }
    }

    /// The server's answer. If the store gets only a status, what the feed reported, in the same format.
    private func answer(_ act: TriggeredDelivery) -> [UInt8] {
        guard let delivery = act.delivery, delivery.body.isEmpty, delivery.isTaken else {
            return act.delivery?.body ?? []
        }
        let cursor = delivery.cursor.map { JSONLiteral.literal($0) } ?? "null"
        let outcome = JSONLiteral.literal(delivery.outcome ?? PlayReport.unknown)
        let event = JSONLiteral.literal(delivery.event)
        return Array(#"{"cursor":\#(cursor),"event":\#(event),"outcome":\#(outcome)}"#.utf8)
    }

    private func line(_ act: TriggeredDelivery) -> String {
        let answer =
            act.delivery.map { $0.outcome ?? error($0) ?? ($0.isTaken ? PlayReport.unknown : "\($0.status)") } ?? "-"
        let columns = [
            padded(answer, to: 14, gap: 1), act.signedAt.iso8601 + "  ",
            padded(act.step.event.label, to: 51, gap: 1), act.delivery?.cursor ?? "-",
        ]
        return columns.joined() + (act.deed.note.map { "  (\($0))" } ?? "")
    }

    private func json(_ act: TriggeredDelivery) -> String {
        let told = act.delivery.map { _ in #""answer":\#(JSONNode(answer(act))?.json ?? "null"),"# } ?? ""
        let status = act.delivery.map { #""status":\#($0.status),"# } ?? ""
        let fault = act.deed.note.map { JSONLiteral.literal($0) } ?? "null"
        let type = JSONLiteral.literal(act.step.event.label)
        return #"{\#(told)"fault":\#(fault),"signed_at":"\#(act.signedAt.iso8601)",\#(status)"type":\#(type)}"#
    }

    private func error(_ delivery: StoreDriver.Delivery) -> String? {
        JSON.decode(ErrorAnswer.self, from: delivery.body)?.error
    }
}

/// One thing that was done on behalf of a store, and its result.
struct TriggeredDelivery {
    enum Deed: Equatable {
        case delivered
        case repeated(Int)
        case tampered
        /// An older statement of the store was delivered after the newer one.
        case stale
        /// Not delivered: only the store's history contains it.
        case lost

        var note: String? {
            switch self {
            case .delivered: nil
            case .repeated(let number): "duplicate \(number)"
            case .tampered: "tampered"
            case .stale: "stale"
            case .lost: "lost"
            }
        }
    }

    var step: Scenario.Step
    var deed: Deed
    /// Nil if the event was lost.
    var delivery: StoreDriver.Delivery?
    var signedAt: Instant

    /// The fault in the server's answer.
    var complaint: PlayError? {
        guard let delivery else { return nil }
        guard deed != .tampered else {
            return (400..<500).contains(delivery.status) ? nil : .tamperingAccepted(status: delivery.status)
        }
        guard delivery.isTaken else { return .refused(delivery) }
        if case .repeated = deed, let outcome = delivery.outcome, outcome != Outcome.duplicate.rawValue {
            return .outcome(outcome, expected: Outcome.duplicate.rawValue)
        }
        guard let expected = step.outcome, deed == .delivered, delivery.outcome != expected else { return nil }
        return .outcome(delivery.outcome, expected: expected)
    }
}
