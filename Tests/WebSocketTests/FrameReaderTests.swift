import TestSupport
import Testing
import WebSocket

@Suite struct FrameReaderTests {
    /// Of the messages in these tests.
    private static let limit = 1000

    /// A client's frame.
    static func frame(_ first: UInt8, _ payload: [UInt8], mask: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]) -> [UInt8] {
        let length: [UInt8] =
            switch payload.count {
            case ..<126: [0x80 | UInt8(payload.count)]
            case ..<65_536: [0xFE, UInt8(payload.count >> 8), UInt8(payload.count & 255)]
            default: [0xFF] + (0..<8).map { UInt8(payload.count >> (56 - 8 * $0) & 255) }
            }
        return [first] + length + mask + payload.enumerated().map { $1 ^ mask[$0 & 3] }
    }

    static func frame(_ first: UInt8, _ text: String) -> [UInt8] { frame(first, Array(text.utf8)) }

    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var bytes: [UInt8]
        var events: [FrameReader.Event]
        var testDescription: String { name }

        init(_ name: String, _ frames: [UInt8]..., events: [FrameReader.Event]) {
            self.name = name
            self.bytes = Array(frames.joined())
            self.events = events
        }

        /// What fails brings nothing more, whatever follows it.
        init(_ name: String, _ frames: [UInt8]..., after events: [FrameReader.Event] = [], failsWith code: CloseCode) {
            self.name = name
            self.bytes = Array(frames.joined()) + FrameReaderTests.frame(0x81, "more")
            self.events = events + [.failed(code)]
        }

        init(close payload: [UInt8], answer: [UInt8]) {
            self.name = "close \(payload)"
            self.bytes = FrameReaderTests.frame(0x88, payload) + FrameReaderTests.frame(0x89, "more")
            self.events = [.closed(answer: answer)]
        }

        init(close payload: [UInt8], failsWith code: CloseCode) {
            self.init("close \(payload)", FrameReaderTests.frame(0x88, payload), failsWith: code)
        }
    }

    private static func many(_ count: Int) -> [UInt8] { [UInt8](repeating: 7, count: count) }

    static let messages: [Case] = [
        Case("nothing", events: []),
        // RFC 6455 §5.7.
        Case(
            "the RFC's example",
            [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58],
            events: [.text(Array("Hello".utf8))]
        ),
        Case("an empty text", frame(0x81, ""), events: [.text([])]),
        Case("an empty binary", frame(0x82, ""), events: [.binary([])]),
        Case("a mask of zeroes", frame(0x81, Array("a".utf8), mask: [0, 0, 0, 0]), events: [.text([97])]),
        Case(
            "several",
            frame(0x81, "a"),
            frame(0x82, [0, 255]),
            frame(0x81, "b"),
            events: [.text([97]), .binary([0, 255]), .text([98])]
        ),
        Case("each byte is unmasked by its own", frame(0x82, Array(0...124)), events: [.binary(Array(0...124))]),
        Case("two bytes of length", frame(0x82, many(126)), events: [.binary(many(126))]),
        Case("as long as may be", frame(0x82, many(1000)), events: [.binary(many(1000))]),
        Case("two parts", frame(0x01, "Hel"), frame(0x80, "lo"), events: [.text(Array("Hello".utf8))]),
        Case(
            "binary in parts",
            frame(0x02, [255]),
            frame(0x00, [254]),
            frame(0x80, [253]),
            events: [.binary([255, 254, 253])]
        ),
        Case("empty parts", frame(0x01, ""), frame(0x00, ""), frame(0x00, "a"), frame(0x80, ""), events: [.text([97])]),
        Case("a letter in two parts", frame(0x01, [0xC3]), frame(0x80, [0xA9]), events: [.text(Array("é".utf8))]),
        Case(
            "control frames between parts",
            frame(0x01, "a"),
            frame(0x89, "p"),
            frame(0x00, "b"),
            frame(0x8A, ""),
            frame(0x80, "c"),
            events: [.ping([112]), .pong([]), .text(Array("abc".utf8))]
        ),
        Case(
            "a close between parts",
            frame(0x01, "a"),
            frame(0x88, ""),
            frame(0x80, "b"),
            events: [.closed(answer: [0x88, 0])]
        ),
        Case("parts as long as may be", frame(0x02, many(600)), frame(0x80, many(400)), events: [.binary(many(1000))]),
        Case(
            "the limit counts anew for each",
            frame(0x82, many(1000)),
            frame(0x82, [1]),
            events: [.binary(many(1000)), .binary([1])]
        ),
        Case("an empty ping", frame(0x89, ""), events: [.ping([])]),
        Case("an empty pong", frame(0x8A, ""), events: [.pong([])]),
        Case(
            "the longest ping",
            frame(0x89, Array(repeating: 9, count: 125)),
            events: [.ping(Array(repeating: 9, count: 125))]
        ),
        Case("a ping of any bytes", frame(0x89, [0xFF, 0]), events: [.ping([0xFF, 0])]),
        Case("beyond the Basic Multilingual Plane", frame(0x81, "😀"), events: [.text(Array("😀".utf8))]),
        Case("the last character", frame(0x81, "\u{10FFFF}"), events: [.text(Array("\u{10FFFF}".utf8))]),
        Case("a noncharacter", frame(0x81, "\u{FFFE}\u{FFFF}"), events: [.text(Array("\u{FFFE}\u{FFFF}".utf8))]),
        Case("a NUL", frame(0x81, "\0"), events: [.text([0])]),
        Case("half a head", [0x81, 0xFE, 0], events: []),
        Case("half a payload", Array(frame(0x81, "abc").dropLast()), events: []),
    ]

    static let flaws: [Case] = [
        Case("no mask", [0x81, 0x05] + Array("Hello".utf8), failsWith: .protocolError),
        Case("an empty frame without a mask", [0x81, 0x00], failsWith: .protocolError),
        Case("a ping without a mask", [0x89, 0x00], failsWith: .protocolError),
        Case("a close without a mask", [0x88, 0x00], failsWith: .protocolError),
        Case("HTTP", Array("GET / HTTP/1.1\r\n\r\n".utf8), failsWith: .protocolError),
        Case("the first reserved bit", frame(0xC1, "a"), failsWith: .protocolError),
        Case("the second reserved bit", frame(0xA1, "a"), failsWith: .protocolError),
        Case("the third reserved bit", frame(0x91, "a"), failsWith: .protocolError),
        Case("a reserved bit of a ping", frame(0xC9, "a"), failsWith: .protocolError),
        Case("a reserved bit of a later part", frame(0x01, "a"), frame(0xC0, "b"), failsWith: .protocolError),
        Case("a continuation of nothing", frame(0x80, "a"), failsWith: .protocolError),
        Case(
            "a continuation of what has ended",
            frame(0x81, "a"),
            frame(0x80, "b"),
            after: [.text([97])],
            failsWith: .protocolError
        ),
        Case("a text within a text", frame(0x01, "a"), frame(0x81, "b"), failsWith: .protocolError),
        Case("a binary within a text", frame(0x01, "a"), frame(0x02, "b"), failsWith: .protocolError),
        Case("a text behind an empty part", frame(0x01, ""), frame(0x81, "b"), failsWith: .protocolError),
        Case("a ping in parts", frame(0x09, "a"), failsWith: .protocolError),
        Case("a pong in parts", frame(0x0A, "a"), failsWith: .protocolError),
        Case("a close in parts", frame(0x08, ""), failsWith: .protocolError),
        Case("a long ping", frame(0x89, Array(repeating: 9, count: 126)), failsWith: .protocolError),
        Case(
            "a ping of eight bytes' length",
            [0x89, 0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 3, 4],
            failsWith: .protocolError
        ),
        Case("a long close", frame(0x88, Array(repeating: 9, count: 126)), failsWith: .protocolError),
        Case("125 in two bytes", [0x82, 0xFE, 0, 125, 1, 2, 3, 4], failsWith: .protocolError),
        Case("nothing in two bytes", [0x82, 0xFE, 0, 0, 1, 2, 3, 4], failsWith: .protocolError),
        Case("1 in eight bytes", [0x82, 0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 3, 4], failsWith: .protocolError),
        Case("65,535 in eight bytes", [0x82, 0xFF, 0, 0, 0, 0, 0, 0, 255, 255, 1, 2, 3, 4], failsWith: .protocolError),
        Case("the highest bit", [0x82, 0xFF, 128, 0, 0, 0, 0, 1, 0, 0, 1, 2, 3, 4], failsWith: .protocolError),
        Case("all bits", [0x82, 0xFF] + Array(repeating: 255, count: 8) + [1, 2, 3, 4], failsWith: .protocolError),
        Case("more than may be", [0x82, 0xFE, 0x03, 0xE9, 1, 2, 3, 4], failsWith: .messageTooBig),
        Case(
            "more than there is memory",
            [0x82, 0xFF, 127] + Array(repeating: 255, count: 7) + [1, 2, 3, 4],
            failsWith: .messageTooBig
        ),
        Case(
            "more than may be in parts",
            frame(0x02, many(600)),
            [0x80, 0xFE, 0x01, 0x91, 1, 2, 3, 4],
            failsWith: .messageTooBig
        ),
        Case("a byte too much in parts", frame(0x02, many(1000)), [0x80, 0x81, 1, 2, 3, 4], failsWith: .messageTooBig),
    ]

    static let opcodes: [Case] = [3, 4, 5, 6, 7, 11, 12, 13, 14, 15].map { (opcode: UInt8) in
        Case("opcode \(opcode)", frame(0x80 | opcode, ""), failsWith: .protocolError)
    }

    private static let notText: [(name: String, bytes: [UInt8])] = [
        ("a byte that never occurs", [0xFF]),
        ("a continuation first", [0x80]),
        ("a letter cut short", [0x61, 0xC3]),
        ("an overlong NUL", [0xC0, 0x80]),
        ("an overlong slash", [0xE0, 0x80, 0xAF]),
        ("a surrogate", [0xED, 0xA0, 0x80]),
        ("a pair of surrogates", [0xED, 0xA0, 0xBD, 0xED, 0xB8, 0x80]),
        ("beyond the last", [0xF4, 0x90, 0x80, 0x80]),
        ("five bytes", [0xF8, 0x88, 0x80, 0x80, 0x80]),
    ]

    static let texts: [Case] = notText.flatMap { (name, bytes) -> [Case] in
        [
            Case("\(name) in a text", frame(0x81, bytes), failsWith: .invalidPayload),
            Case("\(name) in a part", frame(0x01, "a"), frame(0x80, bytes), failsWith: .invalidPayload),
            Case("\(name) in a reason", frame(0x88, [0x03, 0xE8] + bytes), failsWith: .invalidPayload),
            Case("\(name) in a binary", frame(0x82, bytes), events: [.binary(bytes)]),
        ]
    }

    static let closes: [Case] = [
        Case(close: [], answer: [0x88, 0]),
        Case(close: [0x03, 0xE8] + Array("é".utf8), answer: [0x88, 2, 0x03, 0xE8]),
        Case(close: [0x03, 0xE8] + Array(repeating: 97, count: 123), answer: [0x88, 2, 0x03, 0xE8]),
        Case(close: [0x03], failsWith: .protocolError),
    ]

    private static func bytes(_ code: UInt16) -> [UInt8] { [UInt8(code >> 8), UInt8(code & 255)] }

    static let codes: [Case] = [1000, 1001, 1002, 1003, 1007, 1011, 1014, 3000, 3999, 4000, 4999].map {
        Case(close: bytes($0), answer: [0x88, 2] + bytes($0))
    }

    static let otherCodes: [Case] = [0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535].map {
        Case(close: bytes($0), failsWith: .protocolError)
    }

    private static func read(_ bytes: [UInt8], size: Int, limit: Int = limit) -> [FrameReader.Event] {
        var reader = FrameReader(messageLimit: limit)
        return stride(from: 0, to: bytes.count, by: size).flatMap { start in
            bytes[start...].prefix(size).withUnsafeBytes { reader.read($0) }
        }
    }

    @Test(arguments: messages + flaws + opcodes + texts + closes + codes + otherCodes) func reads(_ one: Case) {
        for size in [1, 2, 3, 7, 1 << 20] {
            #expect(FrameReaderTests.read(one.bytes, size: size) == one.events, "in pieces of \(size)")
        }
    }

    /// The last form of a length is for those that no other form has.
    @Test(arguments: [65_535, 65_536, 70_000]) func readsLongMessages(_ count: Int) {
        let payload = (0..<count).map { UInt8($0 & 127) }
        let bytes = FrameReaderTests.frame(0x81, payload)
        #expect(bytes.count == count + (count < 65_536 ? 8 : 14))
        for size in [1, 4099, 1 << 20] {
            #expect(FrameReaderTests.read(bytes, size: size, limit: count) == [.text(payload)])
        }
        #expect(FrameReaderTests.read(bytes, size: 1, limit: count - 1) == [.failed(.messageTooBig)])
    }

    @Test func takesNoMessagesAtAll() {
        let bytes =
            FrameReaderTests.frame(0x81, "") + FrameReaderTests.frame(0x89, "a") + FrameReaderTests.frame(0x81, "a")
        #expect(FrameReaderTests.read(bytes, size: 1, limit: 0) == [.text([]), .ping([97]), .failed(.messageTooBig)])
    }

    /// Before its mask has come: what cannot become a frame is not waited for.
    @Test(arguments: [[0x83], [0xC1], [0x80], [0x81, 0x05], [0x89, 0xFE]] as [[UInt8]])
    func saysAtOnceWhatBreaksTheRules(_ bytes: [UInt8]) {
        #expect(FrameReaderTests.read(bytes, size: 1) == [.failed(.protocolError)])
    }

    /// Any order of any frames: what comes byte by byte is what comes at once.
    @Test func piecesChangeNothing() {
        var generator = SeededGenerator(seed: 6455)
        for _ in 0..<500 {
            let bytes = (0..<8).flatMap { _ in
                let first = ([0x81, 0x01, 0x80, 0x00, 0x82, 0x02, 0x89, 0x8A] as [UInt8]).randomElement(
                    using: &generator
                )
                let payload = (0..<Int.random(in: 0...200, using: &generator)).map { _ in
                    UInt8.random(in: 0...127, using: &generator)
                }
                return FrameReaderTests.frame(first ?? 0x81, payload)
            }
            let events = FrameReaderTests.read(bytes, size: bytes.count)
            #expect(FrameReaderTests.read(bytes, size: 1) == events, "\(bytes)")
        }
    }

    @Test func whatWeWriteIsWhatWeRead() {
        for count in [0, 1, 125, 126, 1000] {
            let payload = [UInt8](repeating: 65, count: count)
            var frame = Frame.encode(.text, payload)
            // A client masks.
            frame[1] |= 0x80
            frame.insert(contentsOf: [0, 0, 0, 0], at: frame.count - count)
            #expect(FrameReaderTests.read(frame, size: 1) == [.text(payload)])
        }
    }
}
