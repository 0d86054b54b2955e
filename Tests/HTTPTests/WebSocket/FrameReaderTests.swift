import HTTP
import TestSupport
import Testing

@Suite struct FrameReaderTests {
    /// Of the messages in these tests.
    private static let limit = 1000

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
        let bytes = FrameReaderTests.frame(0x81, payload: payload)
        #expect(bytes.count == count + (count < 65_536 ? 8 : 14))
        for size in [1, 4099, 1 << 20] {
            #expect(FrameReaderTests.read(bytes, size: size, limit: count) == [.text(payload)])
        }
        #expect(FrameReaderTests.read(bytes, size: 1, limit: count - 1) == [.failed(.messageTooBig)])
    }

    @Test func takesNoMessagesAtAll() {
        let bytes =
            FrameReaderTests.frame(0x81, text: "") + FrameReaderTests.frame(0x89, text: "a")
            + FrameReaderTests.frame(0x81, text: "a")
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
                return FrameReaderTests.frame(first ?? 0x81, payload: payload)
            }
            let events = FrameReaderTests.read(bytes, size: bytes.count)
            #expect(FrameReaderTests.read(bytes, size: 1) == events, "\(bytes)")
        }
    }

    @Test func whatWeWriteIsWhatWeRead() {
        for count in [0, 1, 125, 126, 1000] {
            let payload = [UInt8](repeating: 65, count: count)
            var frame = Frame.encode(.text, payload: payload)
            // A client masks.
            frame[1] |= 0x80
            frame.insert(contentsOf: [0, 0, 0, 0], at: frame.count - count)
            #expect(FrameReaderTests.read(frame, size: 1) == [.text(payload)])
        }
    }
}
