internal import Foundation

/// What a server says over a connection that stays open
/// (https://html.spec.whatwg.org/multipage/server-sent-events.html), but for the words themselves.
struct ServerSentEvent: Equatable, Sendable {
    /// Where to go on from.
    var id: String?
    /// In seconds: how long to wait before coming again.
    var retry: TimeInterval?
    var hasData = false
}

/// Takes the bytes as they come, cut anywhere.
struct ServerSentEventParser {
    private var line = Data()
    private var event = ServerSentEvent()

    mutating func take(_ bytes: Data) -> [ServerSentEvent] {
        var events: [ServerSentEvent] = []
        for byte in bytes {
            guard byte == UInt8(ascii: "\n") else {
                line.append(byte)
                continue
            }
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
            if line.isEmpty {
                if event != ServerSentEvent() { events.append(event) }
                event = ServerSentEvent()
            } else {
                read(String(decoding: line, as: UTF8.self))
            }
            line.removeAll()
        }
        return events
    }

    private mutating func read(_ line: String) {
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let value = parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""
        switch parts[0] {
        case "data": event.hasData = true
        case "id": event.id = value
        case "retry": event.retry = TimeInterval(value).map { $0 / 1000 }
        default: break
        }
    }
}
