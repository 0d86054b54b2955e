internal import APIModel
internal import Domain
internal import Simulator

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
        case .single: if let delivery = act.delivery, delivery.isTaken { printSingle(delivery) }
        case .lines: printText(line(act))
        case .answer: printJSON(answer(act))
        case .json: printJSON(json(act).bytes)
        }
    }

    /// The page has received the expected fragment.
    func show(_ expected: Expectation, in message: PageWatch.Message) {
        switch style {
        case .single: printText("page     \(message.description)")
        case .lines: printText(padded("page", to: 14) + message.description)
        case .answer, .json:
            let page = JSONValue.array(message.fragments.map { .text($0) })
            printJSON(JSONValue.object(["page": page]).bytes)
        }
    }

    private func printSingle(_ delivery: StoreDriver.Delivery) {
        printText("outcome  \(delivery.outcome ?? PlayReport.unknown)")
        printText("event    \(delivery.event)")
        printText("cursor   \(delivery.cursor ?? "-")")
    }

    /// The server's answer. If the store gets only a status, what the feed reported, in the same format.
    private func answer(_ act: TriggeredDelivery) -> [UInt8] {
        guard let delivery = act.delivery, delivery.body.isEmpty, delivery.isTaken else {
            return act.delivery?.body ?? []
        }
        return JSONValue.object([
            "outcome": .text(delivery.outcome ?? PlayReport.unknown), "event": .text(delivery.event),
            "cursor": delivery.cursor.map { .text($0) } ?? .null,
        ]).bytes
    }

    private func line(_ act: TriggeredDelivery) -> String {
        let answer =
            act.delivery.map { $0.outcome ?? error($0) ?? ($0.isTaken ? PlayReport.unknown : "\($0.status)") } ?? "-"
        let columns = [
            padded(answer, to: 14), act.signedAt.iso8601.prefix(19) + "Z  ", padded(act.step.label, to: 51),
            act.delivery?.cursor ?? "-",
        ]
        return columns.joined() + (act.deed.note.map { "  (\($0))" } ?? "")
    }

    private func json(_ act: TriggeredDelivery) -> JSONValue {
        var members: [String: JSONValue] = [
            "type": .text(act.step.label), "signed_at": .text(act.signedAt.iso8601),
            "fault": act.deed.note.map { .text($0) } ?? .null,
        ]
        if let delivery = act.delivery {
            members["status"] = .integer(Int64(delivery.status))
            members["answer"] = JSONValue(answer(act)) ?? .null
        }
        return .object(members)
    }

    private func error(_ delivery: StoreDriver.Delivery) -> String? {
        JSON.decode(ErrorAnswer.self, from: delivery.body)?.error
    }

    private func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }
}
