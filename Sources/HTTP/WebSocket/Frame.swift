/// The kind of a frame (RFC 6455 §5.2).
public enum Opcode: UInt8, Sendable {
    case continuation = 0
    case text = 1
    case binary = 2
    case close = 8
    case ping = 9
    case pong = 10

    var isControl: Bool { rawValue >= 8 }
}

/// Frames as a server sends them: whole messages, unmasked (RFC 6455 §5.1).
public enum Frame {
    /// The most bytes that a control frame's payload may have (§5.5).
    public static let controlLimit = 125

    public static func encode(_ opcode: Opcode, payload: [UInt8]) -> [UInt8] {
        var frame: [UInt8] = []
        frame.reserveCapacity(payload.count + 10)
        appendHead(opcode, count: payload.count, to: &frame)
        frame += payload
        return frame
    }

    /// Appends the header of a frame with a payload of `count` bytes.
    public static func appendHead(_ opcode: Opcode, count: Int, to frame: inout [UInt8]) {
        frame.append(0x80 | opcode.rawValue)
        switch count {
        case ..<126: frame.append(UInt8(count))
        case ..<65_536:
            frame.append(126)
            frame.append(UInt8(count >> 8))
            frame.append(UInt8(count & 255))
        default:
            frame.append(127)
            for shift in stride(from: 56, through: 0, by: -8) { frame.append(UInt8(count >> shift & 255)) }
        }
    }

    public static func close(_ code: CloseCode) -> [UInt8] { close(code.rawValue) }

    static func close(_ code: UInt16) -> [UInt8] {
        encode(.close, payload: [UInt8(code >> 8), UInt8(code & 255)])
    }
}

/// Why a WebSocket ends (RFC 6455 §7.4.1 and the IANA registry).
public enum CloseCode: UInt16, Sendable {
    case normal = 1000
    case protocolError = 1002
    /// A kind of message that is not accepted here.
    case unsupportedData = 1003
    /// A text message that is not valid UTF-8.
    case invalidPayload = 1007
    case policyViolation = 1008
    case messageTooBig = 1009
    case serviceRestart = 1012
    case tryAgainLater = 1013

    /// Whether a client may send this code: the RFC names it, the registry lists it, or it belongs to frameworks and
    /// applications.
    static func mayBeSent(_ code: UInt16) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}

/// The key that a client's payload is combined with (RFC 6455 §5.3), applied eight bytes at a time.
struct Mask {
    /// The four bytes twice; the next one to use is the lowest.
    private var pattern: UInt64

    init(_ bytes: some Sequence<UInt8>) {
        let four = bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        pattern = four << 32 | four
    }

    /// Unmasks the next part of the payload. The mask continues where this part ends.
    mutating func append(_ piece: Slice<UnsafeRawBufferPointer>, unmaskedTo bytes: inout [UInt8]) {
        let start = bytes.count
        bytes.append(contentsOf: piece)
        bytes.withUnsafeMutableBytes { buffer in
            var index = start
            while index + 8 <= buffer.count {
                let word = UInt64(littleEndian: buffer.loadUnaligned(fromByteOffset: index, as: UInt64.self))
                buffer.storeBytes(of: (word ^ pattern).littleEndian, toByteOffset: index, as: UInt64.self)
                index += 8
            }
            while index < buffer.count {
                buffer[index] ^= UInt8(truncatingIfNeeded: pattern)
                advance()
                index += 1
            }
        }
    }

    private mutating func advance() { pattern = pattern >> 8 | pattern << 56 }
}
