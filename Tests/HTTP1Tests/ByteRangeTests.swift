import HTTP1
import Testing

@Suite struct ByteRangeTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var text: String?
        var size = 1000
        var range: ByteRange
        var testDescription: String { "\(text ?? "nothing") of \(size)" }

        init(_ text: String?, of size: Int = 1000, _ range: ByteRange) {
            self.text = text
            self.size = size
            self.range = range
        }
    }

    @Test(arguments: [
        Case(nil, .whole),
        Case("bytes=0-499", .part(0..<500)),
        Case("bytes=500-999", .part(500..<1000)),
        Case("bytes=999-999", .part(999..<1000)),
        Case("bytes=0-0", .part(0..<1)),
        Case("bytes=500-", .part(500..<1000)),
        Case("bytes=0-", .part(0..<1000)),
        Case("bytes=-1", .part(999..<1000)),
        Case("bytes=-1000", .part(0..<1000)),
        Case("bytes=-1001", .part(0..<1000)),
        Case("bytes=990-2000", .part(990..<1000)),
        Case("bytes=007-8", .part(7..<9)),
        Case("bytes=0-999999999999999", .part(0..<1000)),
        Case("bytes=1000-", .unsatisfiable),
        Case("bytes=1000-1001", .unsatisfiable),
        Case("bytes=999999999999999-", .unsatisfiable),
        Case("bytes=-0", .unsatisfiable),
        Case("bytes=0-", of: 0, .unsatisfiable),
        Case("bytes=0-0", of: 0, .unsatisfiable),
        Case("bytes=-1", of: 0, .unsatisfiable),
        // What is no range, or more than one, is ignored (RFC 9110 §14.2).
        Case("", .whole),
        Case("bytes", .whole),
        Case("bytes=", .whole),
        Case("bytes=-", .whole),
        Case("bytes=--1", .whole),
        Case("bytes=1", .whole),
        Case("bytes=5-3", .whole),
        Case("bytes=0-1,5-6", .whole),
        Case("bytes=0-1-2", .whole),
        Case("bytes=a-b", .whole),
        Case("bytes=0x0-1", .whole),
        Case("bytes=+0-1", .whole),
        Case("bytes= 0-1", .whole),
        Case("bytes=0 -1", .whole),
        Case("bytes =0-1", .whole),
        Case("bytes:0-1", .whole),
        Case("lines=0-1", .whole),
        Case("0-1", .whole),
        Case("bytes=１-２", .whole),
        Case("bytes=18446744073709551615-18446744073709551616", .whole),
        Case("bytes=-9223372036854775808", .whole),
    ])
    func reads(_ one: Case) {
        #expect(ByteRange(one.text, size: one.size) == one.range)
    }
}
