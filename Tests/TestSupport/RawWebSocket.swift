/// A WebSocket of raw frames (RFC 6455), which can also be rude.
public final class RawWebSocket {
    public enum Opcode: UInt8, Sendable {
        case continuation = 0
        case text = 1
        case binary = 2
        case close = 8
        case ping = 9
        case pong = 10
    }

    public struct Frame: Equatable, Sendable {
        public var opcode: Opcode?
        public var isFinal: Bool
        public var payload: [UInt8]
    }

    /// The answer to the upgrade: 101 when it was accepted.
    public let status: Int
    public let head: String
    public let socket: RawSocket

    public convenience init(
        port: Int,
        path: String,
        subprotocols: [String] = [],
        headers: [(String, String)] = [],
        timeout: Duration = .seconds(30)
    ) throws(RawSocketError) {
        let socket = try RawSocket(port: port, timeout: timeout)
        try self.init(over: socket, port: port, path: path, subprotocols: subprotocols, headers: headers)
    }

    /// On a connection that stands already. The key is the RFC's own example (§1.3), so that the expected answer is a
    /// constant.
    public init(
        over socket: RawSocket,
        port: Int,
        path: String,
        subprotocols: [String] = [],
        headers: [(String, String)] = []
    ) throws(RawSocketError) {
        self.socket = socket
        var lines = [
            "GET \(path) HTTP/1.1", "Host: 127.0.0.1:\(port)", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        ]
        if !subprotocols.isEmpty { lines.append("Sec-WebSocket-Protocol: " + subprotocols.joined(separator: ", ")) }
        lines += headers.map { "\($0.0): \($0.1)" }
        try socket.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
        head = try socket.read(until: "\r\n\r\n")
        status = head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    }

    /// Whether the server proved that it understood the upgrade.
    public var isAccepted: Bool {
        status == 101 && head.contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    }

    /// The value of a header of the answer.
    public func header(_ name: String) -> String? {
        let line = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
        return line.map { String($0.dropFirst(name.count + 1).drop(while: \.isWhitespace)) }
    }

    public func send(text: String) throws(RawSocketError) {
        try send(.text, payload: Array(text.utf8))
    }

    public func send(_ opcode: Opcode, payload: [UInt8] = [], isFinal: Bool = true) throws(RawSocketError) {
        try socket.send(RawWebSocket.bytes(opcode, payload: payload, isFinal: isFinal))
    }

    /// A frame. The mask is constant: it hides nothing here and makes a failing test repeatable.
    public static func bytes(_ opcode: Opcode, payload: [UInt8] = [], isFinal: Bool = true) -> [UInt8] {
        let mask: [UInt8] = [0x12, 0x34, 0x56, 0x78]
        var frame = [opcode.rawValue | (isFinal ? 0x80 : 0)]
        switch payload.count {
        case ..<126: frame.append(0x80 | UInt8(payload.count))
        case ..<65_536: frame += [0x80 | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        default: frame += [0x80 | 127] + (0..<8).map { UInt8(payload.count >> (56 - 8 * $0) & 0xFF) }
        }
        return frame + mask + payload.enumerated().map { $1 ^ mask[$0 % 4] }
    }

    public func frame() throws(RawSocketError) -> Frame {
        let first = try socket.read(count: 2)
        var count = Int(first[1] & 0x7F)
        if count >= 126 {
            count = try socket.read(count: count == 126 ? 2 : 8).reduce(0) { $0 << 8 | Int($1) }
        }
        let payload = try socket.read(count: count)
        return Frame(opcode: Opcode(rawValue: first[0] & 0x0F), isFinal: first[0] & 0x80 != 0, payload: payload)
    }

    /// The next whole text message; pings are answered on the way.
    public func text() throws(RawSocketError) -> String {
        var bytes: [UInt8] = []
        while true {
            let frame = try frame()
            switch frame.opcode {
            case .ping: try send(.pong, payload: frame.payload)
            case .close: throw .closed
            case .text, .continuation:
                bytes += frame.payload
                if frame.isFinal { return String(decoding: bytes, as: UTF8.self) }
            default: break
            }
        }
    }
}
