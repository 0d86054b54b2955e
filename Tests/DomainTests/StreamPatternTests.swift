import Domain
import Testing

@Suite struct StreamPatternTests {
    @Test func standardNamesTheUser() {
        #expect(StreamPattern.standard.stream(for: "42")?.text == "user:42:paywall")
    }

    /// The pair is turbo-rails' own: user 42 of app `paywall`, then `:paywall`.
    @Test func globalIDPartBecomesAParameter() throws {
        let pattern = try #require(StreamPattern("gid://paywall/User/{user}:paywall"))
        #expect(pattern.stream(for: "42")?.text == "Z2lkOi8vcGF5d2FsbC9Vc2VyLzQy:paywall")
    }

    @Test(arguments: ["paywall", "{user}:{user}", "", "user:{user}\n"])
    func refuses(_ text: String) {
        #expect(StreamPattern(text) == nil)
    }

    @Test func userWithControlCharacterHasNoStream() {
        #expect(StreamPattern.standard.stream(for: "4\r\n2") == nil)
    }
}

@Suite struct StreamNameTests {
    @Test(arguments: ["a", "user:42:paywall", "é\u{A0}", "日本", String(repeating: "x", count: 512)])
    func accepts(_ text: String) {
        #expect(StreamName(text)?.text == text)
    }

    @Test(arguments: ["", "a\nb", "\u{0}", "\u{7F}", "\u{80}", "a\u{9F}", String(repeating: "x", count: 513)])
    func refuses(_ text: String) {
        #expect(StreamName(text) == nil)
    }
}
