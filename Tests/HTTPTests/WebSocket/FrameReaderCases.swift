import HTTP
import TestSupport
import Testing

/// What clients send, and what is read from it.
extension FrameReaderTests {
    /// A client's frame.
    static func frame(_ first: UInt8, payload: [UInt8], mask: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]) -> [UInt8] {
        let length: [UInt8] =
            switch payload.count {
            case ..<126: [0x80 | UInt8(payload.count)]
            case ..<65_536: [0xFE, UInt8(payload.count >> 8), UInt8(payload.count & 255)]
            default: [0xFF] + (0..<8).map { UInt8(payload.count >> (56 - 8 * $0) & 255) }
            }
        return [first] + length + mask + payload.enumerated().map { $1 ^ mask[$0 & 3] }
    }

    static func frame(_ first: UInt8, text: String) -> [UInt8] { frame(first, payload: Array(text.utf8)) }

    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var bytes: [UInt8]
        var events: [FrameReader.Event]
        var testDescription: String { name }

        init(_ name: String, frames: [UInt8]..., events: [FrameReader.Event]) {
            self.name = name
            self.bytes = Array(frames.joined())
            self.events = events
        }

        /// What fails brings nothing more, whatever follows it.
        init(_ name: String, frames: [UInt8]..., after events: [FrameReader.Event] = [], failsWith code: CloseCode) {
            self.name = name
            self.bytes = Array(frames.joined()) + FrameReaderTests.frame(0x81, text: "more")
            self.events = events + [.failed(code)]
        }

        init(close payload: [UInt8], answer: [UInt8]) {
            self.name = "close \(payload)"
            self.bytes = FrameReaderTests.frame(0x88, payload: payload) + FrameReaderTests.frame(0x89, text: "more")
            self.events = [.closed(answer: answer)]
        }

        init(close payload: [UInt8], failsWith code: CloseCode) {
            self.init("close \(payload)", frames: FrameReaderTests.frame(0x88, payload: payload), failsWith: code)
        }
    }

    private static func many(_ count: Int) -> [UInt8] { [UInt8](repeating: 7, count: count) }

    static let messages: [Case] = [
        Case("nothing", events: []),
        // RFC 6455 §5.7.
        Case(
            "the RFC's example",
            frames: [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58],
            events: [.text(Array("Hello".utf8))]
        ),
        Case("an empty text", frames: frame(0x81, text: ""), events: [.text([])]),
        Case("an empty binary", frames: frame(0x82, text: ""), events: [.binary([])]),
        Case(
            "a mask of zeroes",
            frames: frame(0x81, payload: Array("a".utf8), mask: [0, 0, 0, 0]),
            events: [.text([97])]
        ),
        Case(
            "several",
            frames: frame(0x81, text: "a"),
            frame(0x82, payload: [0, 255]),
            frame(0x81, text: "b"),
            events: [.text([97]), .binary([0, 255]), .text([98])]
        ),
        Case(
            "each byte is unmasked by its own",
            frames: frame(0x82, payload: Array(0...124)),
            events: [.binary(Array(0...124))]
        ),
        Case("two bytes of length", frames: frame(0x82, payload: many(126)), events: [.binary(many(126))]),
        Case("as long as may be", frames: frame(0x82, payload: many(1000)), events: [.binary(many(1000))]),
        Case(
            "two parts",
            frames: frame(0x01, text: "Hel"),
            frame(0x80, text: "lo"),
            events: [.text(Array("Hello".utf8))]
        ),
        Case(
            "binary in parts",
            frames: frame(0x02, payload: [255]),
            frame(0x00, payload: [254]),
            frame(0x80, payload: [253]),
            events: [.binary([255, 254, 253])]
        ),
        Case(
            "empty parts",
            frames: frame(0x01, text: ""),
            frame(0x00, text: ""),
            frame(0x00, text: "a"),
            frame(0x80, text: ""),
            events: [.text([97])]
        ),
        Case(
            "a letter in two parts",
            frames: frame(0x01, payload: [0xC3]),
            frame(0x80, payload: [0xA9]),
            events: [.text(Array("é".utf8))]
        ),
        Case(
            "control frames between parts",
            frames: frame(0x01, text: "a"),
            frame(0x89, text: "p"),
            frame(0x00, text: "b"),
            frame(0x8A, text: ""),
            frame(0x80, text: "c"),
            events: [.ping([112]), .pong([]), .text(Array("abc".utf8))]
        ),
        Case(
            "a close between parts",
            frames: frame(0x01, text: "a"),
            frame(0x88, text: ""),
            frame(0x80, text: "b"),
            events: [.closed(answer: [0x88, 0])]
        ),
        Case(
            "parts as long as may be",
            frames: frame(0x02, payload: many(600)),
            frame(0x80, payload: many(400)),
            events: [.binary(many(1000))]
        ),
        Case(
            "the limit counts anew for each",
            frames: frame(0x82, payload: many(1000)),
            frame(0x82, payload: [1]),
            events: [.binary(many(1000)), .binary([1])]
        ),
        Case("an empty ping", frames: frame(0x89, text: ""), events: [.ping([])]),
        Case("an empty pong", frames: frame(0x8A, text: ""), events: [.pong([])]),
        Case(
            "the longest ping",
            frames: frame(0x89, payload: Array(repeating: 9, count: 125)),
            events: [.ping(Array(repeating: 9, count: 125))]
        ),
        Case("a ping of any bytes", frames: frame(0x89, payload: [0xFF, 0]), events: [.ping([0xFF, 0])]),
        Case("beyond the Basic Multilingual Plane", frames: frame(0x81, text: "😀"), events: [.text(Array("😀".utf8))]),
        Case("the last character", frames: frame(0x81, text: "\u{10FFFF}"), events: [.text(Array("\u{10FFFF}".utf8))]),
        Case(
            "a noncharacter",
            frames: frame(0x81, text: "\u{FFFE}\u{FFFF}"),
            events: [.text(Array("\u{FFFE}\u{FFFF}".utf8))]
        ),
        Case("a NUL", frames: frame(0x81, text: "\0"), events: [.text([0])]),
        Case("half a head", frames: [0x81, 0xFE, 0], events: []),
        Case("half a payload", frames: Array(frame(0x81, text: "abc").dropLast()), events: []),
    ]

    static let flaws: [Case] = [
        Case("no mask", frames: [0x81, 0x05] + Array("Hello".utf8), failsWith: .protocolError),
        Case("an empty frame without a mask", frames: [0x81, 0x00], failsWith: .protocolError),
        Case("a ping without a mask", frames: [0x89, 0x00], failsWith: .protocolError),
        Case("a close without a mask", frames: [0x88, 0x00], failsWith: .protocolError),
        Case("HTTP", frames: Array("GET / HTTP/1.1\r\n\r\n".utf8), failsWith: .protocolError),
        Case("the first reserved bit", frames: frame(0xC1, text: "a"), failsWith: .protocolError),
        Case("the second reserved bit", frames: frame(0xA1, text: "a"), failsWith: .protocolError),
        Case("the third reserved bit", frames: frame(0x91, text: "a"), failsWith: .protocolError),
        Case("a reserved bit of a ping", frames: frame(0xC9, text: "a"), failsWith: .protocolError),
        Case(
            "a reserved bit of a later part",
            frames: frame(0x01, text: "a"),
            frame(0xC0, text: "b"),
            failsWith: .protocolError
        ),
        Case("a continuation of nothing", frames: frame(0x80, text: "a"), failsWith: .protocolError),
        Case(
            "a continuation of what has ended",
            frames: frame(0x81, text: "a"),
            frame(0x80, text: "b"),
            after: [.text([97])],
            failsWith: .protocolError
        ),
        Case("a text within a text", frames: frame(0x01, text: "a"), frame(0x81, text: "b"), failsWith: .protocolError),
        Case(
            "a binary within a text",
            frames: frame(0x01, text: "a"),
            frame(0x02, text: "b"),
            failsWith: .protocolError
        ),
        Case(
            "a text behind an empty part",
            frames: frame(0x01, text: ""),
            frame(0x81, text: "b"),
            failsWith: .protocolError
        ),
        Case("a ping in parts", frames: frame(0x09, text: "a"), failsWith: .protocolError),
        Case("a pong in parts", frames: frame(0x0A, text: "a"), failsWith: .protocolError),
        Case("a close in parts", frames: frame(0x08, text: ""), failsWith: .protocolError),
        Case("a long ping", frames: frame(0x89, payload: Array(repeating: 9, count: 126)), failsWith: .protocolError),
        Case(
            "a ping of eight bytes' length",
            frames: [0x89, 0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 3, 4],
            failsWith: .protocolError
        ),
        Case("a long close", frames: frame(0x88, payload: Array(repeating: 9, count: 126)), failsWith: .protocolError),
        Case("125 in two bytes", frames: [0x82, 0xFE, 0, 125, 1, 2, 3, 4], failsWith: .protocolError),
        Case("nothing in two bytes", frames: [0x82, 0xFE, 0, 0, 1, 2, 3, 4], failsWith: .protocolError),
        Case("1 in eight bytes", frames: [0x82, 0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 3, 4], failsWith: .protocolError),
        Case(
            "65,535 in eight bytes",
            frames: [0x82, 0xFF, 0, 0, 0, 0, 0, 0, 255, 255, 1, 2, 3, 4],
            failsWith: .protocolError
        ),
        Case("the highest bit", frames: [0x82, 0xFF, 128, 0, 0, 0, 0, 1, 0, 0, 1, 2, 3, 4], failsWith: .protocolError),
        Case(
            "all bits",
            frames: [0x82, 0xFF] + Array(repeating: 255, count: 8) + [1, 2, 3, 4],
            failsWith: .protocolError
        ),
        Case("more than may be", frames: [0x82, 0xFE, 0x03, 0xE9, 1, 2, 3, 4], failsWith: .messageTooBig),
        Case(
            "more than there is memory",
            frames: [0x82, 0xFF, 127] + Array(repeating: 255, count: 7) + [1, 2, 3, 4],
            failsWith: .messageTooBig
        ),
        Case(
            "more than may be in parts",
            frames: frame(0x02, payload: many(600)),
            [0x80, 0xFE, 0x01, 0x91, 1, 2, 3, 4],
            failsWith: .messageTooBig
        ),
        Case(
            "a byte too much in parts",
            frames: frame(0x02, payload: many(1000)),
            [0x80, 0x81, 1, 2, 3, 4],
            failsWith: .messageTooBig
        ),
    ]

    static let opcodes: [Case] = [3, 4, 5, 6, 7, 11, 12, 13, 14, 15].map { (opcode: UInt8) in
        Case("opcode \(opcode)", frames: frame(0x80 | opcode, text: ""), failsWith: .protocolError)
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
            Case("\(name) in a text", frames: frame(0x81, payload: bytes), failsWith: .invalidPayload),
            Case(
                "\(name) in a part",
                frames: frame(0x01, text: "a"),
                frame(0x80, payload: bytes),
                failsWith: .invalidPayload
            ),
            Case(
                "\(name) in a reason",
                frames: frame(0x88, payload: [0x03, 0xE8] + bytes),
                failsWith: .invalidPayload
            ),
            Case("\(name) in a binary", frames: frame(0x82, payload: bytes), events: [.binary(bytes)]),
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
}
