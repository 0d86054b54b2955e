internal import APIModel
internal import Domain
internal import Support

/// Prints what a page receives: a line for each element.
struct PageOutput {
    let printsJSON: Bool
    /// The whole fragment after its line.
    let printsHTML: Bool

    func show(_ message: PageMessage) {
        let now = Clock().now()
        for element in message.elements {
            if printsJSON {
                printJSON(PageOutput.json(element, of: message, at: now))
            } else {
                printText(PageOutput.line(element, of: message, at: now))
                if printsHTML {
                    for line in element.html.split(whereSeparator: \.isNewline) { printText(String(line)) }
                }
            }
        }
    }

    static func line(_ element: StreamElement, of message: PageMessage, at now: Instant) -> String {
        let time = now.iso8601.replacing("T", with: " ").prefix { $0 != "Z" && $0 != "+" }
        let target = element.target.map { "#" + $0 } ?? element.targets
        // As Turbo does it.
        let text = element.action == "refresh" ? "the page loads itself again" : element.text(limit: 60)
        let line = [
            padded("\(time)", to: 23), padded(message.cursor.map { "\($0)" } ?? "-", to: 14),
            padded(element.action ?? "-", to: 8), padded(target ?? "-", to: 20),
            padded("\(element.html.utf8.count) B", to: 8), text,
        ].joined(separator: "  ")
        return String(line.reversed().drop { $0 == " " }.reversed())
    }

    static func json(_ element: StreamElement, of message: PageMessage, at now: Instant) -> [UInt8] {
        JSON.encode(
            ReceivedElement(
                at: now.iso8601,
                bytes: element.html.utf8.count,
                cursor: message.cursor.map { "\($0)" },
                action: element.action,
                target: element.target,
                targets: element.targets,
                html: element.html
            )
        )
    }
}

private struct ReceivedElement: Encodable {
    var at: String
    var bytes: Int
    var cursor: String?
    var action: String?
    var target: String?
    var targets: String?
    var html: String
}
