/// Parses Server-Sent Events from bytes that may be split anywhere. Pure
/// (https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation).
public struct EventStreamParser {
    public struct Event: Equatable {
        public var type: String
        public var data: String
        /// The cursor: the last `id` so far.
        public var id: String
        /// Whether that stands in this event.
        var hasOwnID = false
    }

    /// The id of the last complete block, even of one without data: where to resume.
    public private(set) var lastEventID = ""
    /// A line or an event larger than 4 MiB was cut off: close this connection.
    public private(set) var hasOverflowed = false

    private var line: [UInt8] = []
    private var endedWithReturn = false
    private var isFirstLine = true
    private var type = ""
    private var data: [String] = []
    private var dataSize = 0
    private var id = ""
    private var hasOwnID = false

    /// Returns the events that these bytes complete.
    public mutating func receive(_ bytes: some Sequence<UInt8>) -> [Event] {
        var events: [Event] = []
        for byte in bytes where !hasOverflowed {
            let followsReturn = endedWithReturn
            endedWithReturn = byte == 13
            switch byte {
            case 10 where followsReturn: break  // The second half of CRLF.
            case 10, 13: if let event = endOfLine() { events.append(event) }
            default:
                line.append(byte)
                hasOverflowed = line.count + dataSize > 4 << 20
            }
        }
        return events
    }

    private mutating func endOfLine() -> Event? {
        if isFirstLine, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        isFirstLine = false
        defer { line.removeAll(keepingCapacity: true) }
        guard !line.isEmpty else { return dispatch() }
        let name = line.prefix { $0 != UInt8(ascii: ":") }
        var value = line.dropFirst(name.count + 1)
        if value.first == UInt8(ascii: " ") { value.removeFirst() }
        take(field: String(decoding: name, as: UTF8.self), value: String(decoding: value, as: UTF8.self))
        return nil
    }

    /// A line that starts with a colon is a comment: its name is empty.
    private mutating func take(field name: String, value: String) {
        switch name {
        case "event": type = value
        case "data":
            data.append(value)
            dataSize += value.utf8.count + 1
        case "id" where !value.utf8.contains(0): (id, hasOwnID) = (value, true)
        default: break
        }
    }

    private mutating func dispatch() -> Event? {
        defer {
            type = ""
            data = []
            dataSize = 0
            hasOwnID = false
        }
        lastEventID = id
        guard !data.isEmpty else { return nil }
        let name = type.isEmpty ? "message" : type
        return Event(type: name, data: data.joined(separator: "\n"), id: id, hasOwnID: hasOwnID)
    }
}
