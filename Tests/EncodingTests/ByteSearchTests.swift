import Testing

@testable import Encoding

@Suite struct ByteSearchTests {
    struct Case: Sendable {
        var text: String
        /// What stands before the first mark; nil if there is none.
        var before: String?
    }

    @Test(arguments: [
        Case(text: "", before: nil), Case(text: "{", before: nil), Case(text: "{{", before: ""),
        Case(text: "a{b{{c{{", before: "a{b"), Case(text: "no mark, but a { at the end {", before: nil),
        Case(text: "{a{{", before: "{a"), Case(text: "Grüße, {{name}}", before: "Grüße, "),
        // No character to Unicode, where the mark joins what follows it; two bytes all the same.
        Case(text: "x{{\u{301}", before: "x"),
    ]) func rangeOfAMark(_ given: Case) {
        let text = given.text[...]
        let found = range(of: "{{", in: text)
        #expect(found.map { String(text[..<$0.lowerBound]) } == given.before)
        #expect(found.map { Array(text.utf8[$0]) } == given.before.map { _ in Array("{{".utf8) })
    }

    /// The bytes before a part of a text do not count.
    @Test func rangeInAPart() {
        let text = "{{a}} {{b}}"
        let rest = text.dropFirst(2)
        let found = range(of: "{{", in: rest)
        #expect(found.map { String(rest[$0.upperBound...]) } == "b}}")
    }
}
