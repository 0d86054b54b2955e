/// Splits a WebSocket's bytes into frames (RFC 6455 §5.2); servers do not mask.
public struct ClientFrameReader {
    struct Frame {
        let opcode: UInt8
        let payload: ArraySlice<UInt8>
    }

    private var bytes: [UInt8] = []
    /// The parts of a message that spans several frames.
    private var message: [UInt8] = []

    mutating func append(_ more: UnsafeRawBufferPointer) { bytes += more }

    /// Returns the complete messages, pings and closes.
    mutating func take() -> [Frame] {
        var frames: [Frame] = []
        var start = 0
        while let (end, payload) = next(start) {
            let isFinal = bytes[start] & 0x80 != 0
            let opcode = bytes[start] & 15
            start = end
            guard opcode < 8 else {
                frames.append(Frame(opcode: opcode, payload: bytes[payload]))
                continue
            }
            guard isFinal && message.isEmpty else {
                message += bytes[payload]
                if isFinal { frames.append(Frame(opcode: 1, payload: message[...])) }
                if isFinal { message = [] }
                continue
            }
            frames.append(Frame(opcode: opcode, payload: bytes[payload]))
        }
        bytes.removeFirst(start)
        return frames
    }

    private func next(_ start: Int) -> (end: Int, payload: Range<Int>)? {
        guard bytes.count - start >= 2 else { return nil }
        let short = Int(bytes[start + 1] & 127)
        let extra = short == 126 ? 2 : short == 127 ? 8 : 0
        let head = start + 2 + extra
        guard bytes.count >= head else { return nil }
        let length = extra == 0 ? short : bytes[(start + 2)..<head].reduce(0) { $0 << 8 | Int($1) }
        guard bytes.count - head >= length else { return nil }
        return (head + length, head..<(head + length))
    }

    static let upgrade =
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"

    /// A client's frame, masked with zeros.
    public static func frame(_ opcode: UInt8, payload: some Collection<UInt8>) -> [UInt8] {
        let count = payload.count
        let length: [UInt8] = count < 126 ? [UInt8(count)] : [126, UInt8(count >> 8 & 255), UInt8(count & 255)]
        return [0x80 | opcode, 0x80 | length[0]] + length.dropFirst() + [0, 0, 0, 0] + payload
    }
}
