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

    struct Reversal: Sendable {
        var pattern: String
        var user: UserID
    }

    @Test(arguments: [
        Reversal(pattern: "user:{user}:paywall", user: "42"),
        Reversal(pattern: "user:{user}:paywall", user: "a:paywall"),
        Reversal(pattern: "{user}", user: "x"),
        Reversal(pattern: "gid://shop/User/{user}:paywall", user: "42"),
        Reversal(pattern: "gid://shop/User/{user}:paywall", user: "日本 %+/é"),
        Reversal(pattern: "gid://shop/Account/7:{user}", user: "b:c"),
    ]) func aStreamNamesItsUser(_ reversal: Reversal) throws {
        let pattern = try #require(StreamPattern(reversal.pattern))
        let stream = try #require(pattern.stream(for: reversal.user))
        #expect(pattern.user(of: stream) == reversal.user)
    }

    @Test(arguments: [
        "room:1", "user:42", "user::paywall", "user:paywall", "xuser:42:paywall", "user:42:paywallx", "user:42:Paywall",
    ]) func anotherStreamIsNobodys(_ text: String) throws {
        #expect(StreamPattern.standard.user(of: try #require(StreamName(text))) == nil)
    }

    /// Unused bits, another escape, padding: they decode to the same user, and are no stream that we would sign for them.
    @Test(arguments: ["Z2lkOi8vcC9VLzR:a", "Z2lkOi8vcC9VLzQ=:a", "Z2lkOi8vcC9VLyUzNA:a", "!!!:a", "gid://p/U/4:a"])
    func anotherSpellingOfAParameterIsNobodys(_ text: String) throws {
        let pattern = try #require(StreamPattern("gid://p/U/{user}:a"))
        #expect(pattern.stream(for: "4")?.text == "Z2lkOi8vcC9VLzQ:a")
        #expect(pattern.user(of: try #require(StreamName(text))) == nil)
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
