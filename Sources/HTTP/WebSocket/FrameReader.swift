/// Reads what a client sends over a WebSocket (RFC 6455 §5), strictly: bytes in, messages out. One per connection.
///
/// It holds at most one message of `messageLimit` bytes and one control frame. After `failed` or `closed` it reads
/// nothing more.
public struct FrameReader: Sendable {
    public enum Event: Equatable, Sendable {
        /// A whole message of valid UTF-8.
        case text([UInt8])
        case binary([UInt8])
        case ping([UInt8])
        case pong([UInt8])
        /// The client ends the connection; `answer` is the frame to reply with.
        case closed(answer: [UInt8])
        /// The client broke the rules: the connection ends with this code.
        case failed(CloseCode)
    }

    private enum State {
        /// Inside a frame's header, which has 6, 8 or 14 bytes with its mask.
        case head
        case payload(Header)
        case over
    }

    private struct Header {
        var opcode: Opcode
        var isFinal: Bool
        var mask: Mask
        var remaining: Int
    }

    private let messageLimit: Int
    private var state = State.head
    private var head: [UInt8] = []
    private var control: [UInt8] = []
    private var message: [UInt8] = []
    /// The kind of a message whose last frame has not arrived.
    private var messageKind: Opcode?

    public init(messageLimit: Int) {
        self.messageLimit = messageLimit
    }

    /// Returns the events that `bytes` complete.
    public mutating func read(_ bytes: UnsafeRawBufferPointer) -> [Event] {
        var events: [Event] = []
        var rest = bytes[...]
        while true {
            switch state {
            case .over: return events
            case .head:
                guard let byte = rest.popFirst() else { return events }
                head.append(byte)
                if let code = readHead() { events.append(fail(code)) }
            case .payload(let header) where header.remaining > 0 && rest.isEmpty: return events
            case .payload(let header):
                let piece = rest.prefix(header.remaining)
                rest = rest.dropFirst(piece.count)
                if let event = take(piece, of: header) { events.append(event) }
            }
        }
    }

    private mutating func fail(_ code: CloseCode) -> Event {
        state = .over
        head = []
        control = []
        message = []
        return .failed(code)
    }

    /// Checks each byte as soon as it arrives, and returns a code if it breaks the rules.
    private mutating func readHead() -> CloseCode? {
        if head.count == 1 {
            let opcode = Opcode(rawValue: head[0] & 0x0F)
            // The reserved bits belong to extensions, and none was agreed on.
            guard head[0] & 0x70 == 0, let opcode, isExpected(opcode, isFinal: head[0] & 0x80 != 0) else {
                return .protocolError
            }
            return nil
        }
        if head.count == 2 {
            guard head[1] & 0x80 != 0 else { return .protocolError }
            let isControl = head[0] & 0x08 != 0
            return isControl && head[1] & 0x7F > Frame.controlLimit ? .protocolError : nil
        }
        let length = head[1] & 0x7F
        let size = length == 127 ? 14 : length == 126 ? 8 : 6
        return head.count == size ? begin(lengthBytes: size - 6) : nil
    }

    private func isExpected(_ opcode: Opcode, isFinal: Bool) -> Bool {
        switch opcode {
        case .continuation: messageKind != nil
        case .text, .binary: messageKind == nil
        case .close, .ping, .pong: isFinal
        }
    }

    private mutating func begin(lengthBytes: Int) -> CloseCode? {
        let long = head[2..<(2 + lengthBytes)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let least = lengthBytes == 8 ? UInt64(65_536) : lengthBytes == 2 ? 126 : 0
        // The length must have its shortest form and a highest bit of zero (§5.2).
        guard long >= least, long < 1 << 63, let opcode = Opcode(rawValue: head[0] & 0x0F) else {
            return .protocolError
        }
        let length = lengthBytes == 0 ? UInt64(head[1] & 0x7F) : long
        guard opcode.isControl || length <= UInt64(max(0, messageLimit - message.count)) else { return .messageTooBig }
        if opcode == .text || opcode == .binary { messageKind = opcode }
        let mask = Mask(head.suffix(4))
        state = .payload(Header(opcode: opcode, isFinal: head[0] & 0x80 != 0, mask: mask, remaining: Int(length)))
        head.removeAll(keepingCapacity: true)
        return nil
    }

    private mutating func take(_ piece: Slice<UnsafeRawBufferPointer>, of header: Header) -> Event? {
        var header = header
        if header.opcode.isControl {
            header.mask.append(piece, unmaskedTo: &control)
        } else {
            header.mask.append(piece, unmaskedTo: &message)
        }
        header.remaining -= piece.count
        guard header.remaining == 0 else {
            state = .payload(header)
            return nil
        }
        state = .head
        return header.opcode.isControl ? endControl(header.opcode) : header.isFinal ? endMessage() : nil
    }

    private mutating func endControl(_ opcode: Opcode) -> Event {
        let payload = control
        control = []
        switch opcode {
        case .ping: return .ping(payload)
        case .pong: return .pong(payload)
        default: return close(payload)
        }
    }

    private mutating func close(_ payload: [UInt8]) -> Event {
        guard !payload.isEmpty else { return closed(answer: Frame.encode(.close, payload: [])) }
        guard payload.count >= 2 else { return fail(.protocolError) }
        let code = UInt16(payload[0]) << 8 | UInt16(payload[1])
        guard CloseCode.mayBeSent(code) else { return fail(.protocolError) }
        guard String(validating: payload[2...], as: UTF8.self) != nil else { return fail(.invalidPayload) }
        return closed(answer: Frame.close(code))
    }

    private mutating func closed(answer: [UInt8]) -> Event {
        _ = fail(.normal)
        return .closed(answer: answer)
    }

    private mutating func endMessage() -> Event {
        let kind = messageKind
        let payload = message
        messageKind = nil
        message = []
        guard kind == .text else { return .binary(payload) }
        guard String(validating: payload, as: UTF8.self) != nil else { return fail(.invalidPayload) }
        return .text(payload)
    }
}
