/// What a frame carries (RFC 6455 §5.2).
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
