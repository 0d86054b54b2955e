import HTTP
import Testing

@Suite struct ByteRangeTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var text: String?
        var size = 1000
        var range: ByteRange
        var testDescription: String { "\(text ?? "nothing") of \(size)" }

        init(_ text: String?, of size: Int = 1000, is range: ByteRange) {
            self.text = text
            self.size = size
            self.range = range
        }
    }

    @Test(arguments: [
        Case(nil, is: .whole),
        Case("bytes=0-499", is: .part(0..<500)),
        Case("bytes=500-999", is: .part(500..<1000)),
        Case("bytes=999-999", is: .part(999..<1000)),
        Case("bytes=0-0", is: .part(0..<1)),
        Case("bytes=500-", is: .part(500..<1000)),
        Case("bytes=0-", is: .part(0..<1000)),
        Case("bytes=-1", is: .part(999..<1000)),
        Case("bytes=-1000", is: .part(0..<1000)),
        Case("bytes=-1001", is: .part(0..<1000)),
        Case("bytes=990-2000", is: .part(990..<1000)),
        Case("bytes=007-8", is: .part(7..<9)),
        Case("bytes=0-999999999999999", is: .part(0..<1000)),
        Case("bytes=1000-", is: .unsatisfiable),
        Case("bytes=1000-1001", is: .unsatisfiable),
        Case("bytes=999999999999999-", is: .unsatisfiable),
        Case("bytes=-0", is: .unsatisfiable),
        Case("bytes=0-", of: 0, is: .unsatisfiable),
        Case("bytes=0-0", of: 0, is: .unsatisfiable),
        Case("bytes=-1", of: 0, is: .unsatisfiable),
        // What is no range, or more than one, is ignored (RFC 9110 §14.2).
        Case("", is: .whole),
        Case("bytes", is: .whole),
        Case("bytes=", is: .whole),
        Case("bytes=-", is: .whole),
        Case("bytes=--1", is: .whole),
        Case("bytes=1", is: .whole),
        Case("bytes=5-3", is: .whole),
        Case("bytes=0-1,5-6", is: .whole),
        Case("bytes=0-1-2", is: .whole),
        Case("bytes=a-b", is: .whole),
        Case("bytes=0x0-1", is: .whole),
        Case("bytes=+0-1", is: .whole),
        Case("bytes= 0-1", is: .whole),
        Case("bytes=0 -1", is: .whole),
        Case("bytes =0-1", is: .whole),
        Case("bytes:0-1", is: .whole),
        Case("lines=0-1", is: .whole),
        Case("0-1", is: .whole),
        Case("bytes=１-２", is: .whole),
        Case("bytes=18446744073709551615-18446744073709551616", is: .whole),
        Case("bytes=-9223372036854775808", is: .whole),
    ])
    func reads(_ one: Case) {
        #expect(ByteRange(one.text, size: one.size) == one.range)
    }
}
