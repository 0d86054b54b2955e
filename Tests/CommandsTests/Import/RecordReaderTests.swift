import Synchronization
import Testing

@testable import Commands

/// Lists as people and databases write them, and as nobody should.
@Suite struct RecordReaderTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var text: String
        /// Line and content of each record; nil for one that is too long.
        var records: [(line: Int, text: String?)]
    }

    private static let long = String(repeating: "x", count: RecordReader.limit + 1)

    static let cases = [
        Case(testDescription: "nothing", text: "", records: []),
        Case(testDescription: "only line breaks", text: "\n\r\n\n", records: []),
        Case(testDescription: "no line break at the end", text: "a,b\n1,2", records: [(1, "a,b"), (2, "1,2")]),
        Case(testDescription: "CRLF", text: "a,b\r\n1,2\r\n", records: [(1, "a,b"), (2, "1,2")]),
        Case(testDescription: "empty lines between", text: "a\n\n\nb\n", records: [(1, "a"), (4, "b")]),
        Case(testDescription: "a byte order mark", text: "\u{FEFF}a\nb\n", records: [(1, "a"), (2, "b")]),
        Case(
            testDescription: "a quoted line break",
            text: "a\n\"1\n2\",3\nb\n",
            records: [(1, "a"), (2, "\"1"), (3, "2\",3"), (4, "b")]
        ),
        Case(
            testDescription: "a quote that nothing closes",
            text: "a\n\"1,2\n3,4\n5,6\n",
            records: [(1, "a"), (2, "\"1,2"), (3, "3,4"), (4, "5,6")]
        ),
        Case(
            testDescription: "two stray quotes",
            text: "1\"2,3\nb\n4,5\"6\n",
            records: [(1, "1\"2,3"), (2, "b"), (3, "4,5\"6")]
        ),
        Case(
            testDescription: "a quote that is closed far away",
            text: "a\n\"1\n\(long)\n\"\nb\n",
            records: [(1, "a"), (2, "\"1"), (3, nil), (4, "\""), (5, "b")]
        ),
        Case(testDescription: "a long line", text: "a\n\(long)\nb\n", records: [(1, "a"), (2, nil), (3, "b")]),
        Case(testDescription: "a long line at the end", text: "a\n\(long)", records: [(1, "a"), (2, nil)]),
        Case(
            testDescription: "JSON lines, where quotes close nothing",
            text: "{\"a\":1\n{\"b\":2}\n",
            records: [(1, "{\"a\":1"), (2, "{\"b\":2}")]
        ),
    ]

    /// The same whatever the pieces in which it arrives, and so is the mark behind it.
    @Test(arguments: cases) func cuts(_ example: Case) throws {
        var marks: Set<String> = []
        for size in [1, 3, 1000, 64 << 10, 1 << 20] {
            var reader = try RecordReaderTests.reader(Array(example.text.utf8), size: size)
            var found: [(line: Int, text: String?)] = []
            while let record = try reader.next() {
                found.append((record.line, record.flaw == nil ? String(decoding: record.bytes, as: UTF8.self) : nil))
            }
            #expect(found.map(\.line) == example.records.map(\.line), "\(size)")
            #expect(found.map(\.text) == example.records.map(\.text), "\(size)")
            marks.insert("\(reader.mark)")
        }
        #expect(marks.count == 1)
    }

    /// 10 MB without a line break are dropped while they are read.
    @Test func aHugeLineIsNotHeld() throws {
        let pieces = Mutex((0..<160).map { _ in [UInt8](repeating: 120, count: 64 << 10) } + [Array("\nb,c\n".utf8)])
        var reader = try RecordReader { () throws(CommandFailure) in
            pieces.withLock { $0.isEmpty ? [] : $0.removeFirst() }
        }
        #expect(try reader.next()?.flaw == "it has more than 64 KiB")
        #expect(try reader.next()?.line == 2)
        #expect(try reader.next() == nil)
    }

    @Test func marksTellWhatStoodBefore() throws {
        var one = try RecordReaderTests.reader(Array("a\nb\nc\n".utf8), size: 2)
        var other = try RecordReaderTests.reader(Array("a\nB\nc\n".utf8), size: 2)
        #expect(try one.next()?.end == other.next()?.end)
        #expect(try one.next()?.end != other.next()?.end)
        #expect(try one.next()?.end != other.next()?.end)
    }

    struct Fields: Sendable, CustomTestStringConvertible {
        var record: String
        var fields: [String]?

        var testDescription: String { record }
    }

    @Test(arguments: [
        Fields(record: "a,b", fields: ["a", "b"]), Fields(record: ",", fields: ["", ""]),
        Fields(record: "\"a,b\",\"\"", fields: ["a,b", ""]), Fields(record: "\"a\"\"b\"", fields: ["a\"b"]),
        Fields(record: "a\"b", fields: nil), Fields(record: "\"a\"b", fields: nil), Fields(record: "\"a", fields: nil),
        Fields(record: "\"a\"\"", fields: nil), Fields(record: "\"\"a", fields: nil),
    ]) func fields(_ example: Fields) {
        let fields = RecordReader.fields(Array(example.record.utf8)[...])
        #expect(fields?.map { String(decoding: $0, as: UTF8.self) } == example.fields)
    }

    static func reader(_ bytes: [UInt8], size: Int) throws -> RecordReader {
        let rest = Mutex(bytes[...])
        return try RecordReader { () throws(CommandFailure) in
            rest.withLock { rest in
                defer { rest = rest.dropFirst(size) }
                return Array(rest.prefix(size))
            }
        }
    }
}
