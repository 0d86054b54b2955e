/// One frame of HTTP/2 (RFC 9113 §4.1), right or wrong: nothing is checked.
public struct HTTP2Frame: Equatable, Sendable {
    public enum Kind: UInt8, Sendable {
        case data, headers, priority, reset, settings, pushPromise, ping, goAway, windowUpdate, continuation
    }

    public var type: UInt8
    public var flags: UInt8
    public var stream: UInt32
    public var payload: [UInt8]

    public static let endStream: UInt8 = 1
    public static let acknowledgement: UInt8 = 1
    public static let endHeaders: UInt8 = 4

    public init(type: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, payload: [UInt8] = []) {
        self.type = type
        self.flags = flags
        self.stream = stream
        self.payload = payload
    }

    public init(_ kind: Kind, flags: UInt8 = 0, stream: UInt32 = 0, payload: [UInt8] = []) {
        self.init(type: kind.rawValue, flags: flags, stream: stream, payload: payload)
    }

    public var kind: Kind? { Kind(rawValue: type) }

    public var bytes: [UInt8] {
        let length = payload.count
        return [UInt8(length >> 16 & 255), UInt8(length >> 8 & 255), UInt8(length & 255), type, flags]
            + HTTP2Frame.number(stream) + payload
    }

    /// Of a reset or a goodbye (RFC 9113 §7).
    public var code: UInt32? {
        guard kind == .reset || kind == .goAway, payload.count >= 4 else { return nil }
        return payload[(kind == .goAway ? 4 : 0)...].prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// What every client begins with.
    public static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    public static func settings(_ entries: [(id: UInt16, value: UInt32)] = []) -> HTTP2Frame {
        HTTP2Frame(.settings, payload: entries.flatMap { [UInt8($0.id >> 8), UInt8($0.id & 255)] + number($0.value) })
    }

    /// A head without compression: literals that are not indexed (RFC 7541 §6.2.2).
    public static func block(_ fields: [(String, String)]) -> [UInt8] {
        fields.flatMap { [0] + literal($0.0) + literal($0.1) }
    }

    public static func request(
        _ stream: UInt32,
        path: String,
        method: String = "GET",
        fields: [(String, String)] = [],
        ends: Bool = true
    ) -> HTTP2Frame {
        let pseudo = [(":method", method), (":scheme", "https"), (":path", path), (":authority", "localhost")]
        return HTTP2Frame(
            .headers,
            flags: endHeaders | (ends ? endStream : 0),
            stream: stream,
            payload: block(pseudo + fields)
        )
    }

    public static func credit(_ amount: UInt32, stream: UInt32 = 0) -> HTTP2Frame {
        HTTP2Frame(.windowUpdate, stream: stream, payload: number(amount))
    }

    public static func reset(_ stream: UInt32, code: UInt32 = 8) -> HTTP2Frame {
        HTTP2Frame(.reset, stream: stream, payload: number(code))
    }

    /// All whole frames of `bytes`.
    public static func all(in bytes: [UInt8]) -> [HTTP2Frame] {
        var rest = bytes[...]
        var frames: [HTTP2Frame] = []
        while let (frame, count) = first(in: rest) {
            frames.append(frame)
            rest = rest.dropFirst(count)
        }
        return frames
    }

    static func first(in bytes: ArraySlice<UInt8>) -> (frame: HTTP2Frame, count: Int)? {
        let head = Array(bytes.prefix(9))
        guard head.count == 9 else { return nil }
        let length = head[..<3].reduce(0) { $0 << 8 | Int($1) }
        guard bytes.count >= 9 + length else { return nil }
        let stream = head[5...].reduce(0) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        let payload = Array(bytes.dropFirst(9).prefix(length))
        return (HTTP2Frame(type: head[3], flags: head[4], stream: stream, payload: payload), 9 + length)
    }

    private static func number(_ value: UInt32) -> [UInt8] {
        [UInt8(value >> 24), UInt8(value >> 16 & 255), UInt8(value >> 8 & 255), UInt8(value & 255)]
    }

    private static func literal(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        guard bytes.count >= 127 else { return [UInt8(bytes.count)] + bytes }
        var (rest, length) = (bytes.count - 127, [UInt8(127)])
        while rest >= 128 {
            length.append(UInt8(rest & 127) | 128)
            rest >>= 7
        }
        return length + [UInt8(rest)] + bytes
    }
}
