import Domain
import Testing

@Suite struct IdempotencyKeyTests {
    struct Case: Sendable {
        var header: String
        var key: String?
    }

    private static let long = String(repeating: "k", count: 255)

    @Test(arguments: [
        Case(header: "8e03978e-40d5-43dd-bc93-6894a57f9324", key: "8e03978e-40d5-43dd-bc93-6894a57f9324"),
        Case(header: "\"8e03978e-40d5-43dd\"", key: "8e03978e-40d5-43dd"), Case(header: "a", key: "a"),
        Case(header: "order:7/charge=1;x,~!", key: "order:7/charge=1;x,~!"),
        Case(header: "\"two words\"", key: "two words"),
        Case(header: #""a\"b\\c""#, key: #"a"b\c"#), Case(header: #"a\b"#, key: #"a\b"#), Case(header: long, key: long),
        Case(header: "\"\(long)\"", key: long), Case(header: long + "k", key: nil),
        Case(header: "\"\(long)k\"", key: nil),
        Case(header: "", key: nil), Case(header: "\"", key: nil), Case(header: "\"\"", key: nil),
        Case(header: "two words", key: nil), Case(header: "\"a", key: nil), Case(header: "a\"", key: nil),
        Case(header: #""a\""#, key: nil), Case(header: #""a\b""#, key: nil), Case(header: #""a"b""#, key: nil),
        Case(header: "\"a\";p=1", key: nil), Case(header: "\"a\", \"b\"", key: nil),
        Case(header: "schlüssel", key: nil),
        Case(header: "\"schlüssel\"", key: nil), Case(header: "\u{212A}ate", key: nil), Case(header: "a\tb", key: nil),
        Case(header: "\"a\tb\"", key: nil), Case(header: "a\u{7F}", key: nil), Case(header: "\u{0}", key: nil),
    ]) func isReadFromItsHeader(_ given: Case) {
        #expect(IdempotencyKey(header: given.header)?.text == given.key)
    }
}
