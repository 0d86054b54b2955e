import Domain
import Testing

@Suite struct StreamPatternTests {
    @Test func standardNamesTheUser() {
        #expect(StreamPattern.standard.stream(for: "42")?.text == "user:42:paywall")
    }

    /// The pair is turbo-rails' own: user 42 of app `paywall`, then `:paywall`.
    @Test func globalIDPartBecomesAParameter() throws {
        let pattern = try StreamPattern(checking: "gid://paywall/User/{user}:paywall")
        #expect(pattern.stream(for: "42")?.text == "Z2lkOi8vcGF5d2FsbC9Vc2VyLzQy:paywall")
    }

    @Test(arguments: ["paywall", "{user}:{user}", "", "user:{user}\n"])
    func refuses(_ text: String) {
        #expect(throws: StreamPatternFlaw.self) { try StreamPattern(checking: text) }
    }

    /// The pair was computed with Ruby, as globalid does it.
    @Test func classesMayStandInModules() throws {
        let pattern = try StreamPattern(checking: "gid://my-shop/Admin::User/{user}:paywall")
        #expect(pattern.stream(for: "42")?.text == "Z2lkOi8vbXktc2hvcC9BZG1pbjo6VXNlci80Mg:paywall")
        #expect(pattern.user(of: try #require(pattern.stream(for: "a/b"))) == "a/b")
    }

    struct Flaw: Sendable, CustomTestStringConvertible {
        var pattern: String
        var flaw: StreamPatternFlaw
        var testDescription: String { pattern }

        init(_ pattern: String, right: String?) {
            self.pattern = pattern
            flaw = .globalID(right: right)
        }
    }

    @Test(arguments: [
        Flaw("gid://MyShop/User/{user}:paywall", right: "gid://my-shop/User/{user}:paywall"),
        Flaw("gid://my_shop/User/{user}:paywall", right: "gid://my-shop/User/{user}:paywall"),
        Flaw("gid://HTMLShop2Go/User/{user}", right: "gid://html-shop2-go/User/{user}"),
        Flaw("GID://shop/User/{user}:paywall", right: "gid://shop/User/{user}:paywall"),
        Flaw("gid:/shop/User/{user}:paywall", right: "gid://shop/User/{user}:paywall"),
        Flaw("gid:///shop/User/{user}:paywall", right: "gid://shop/User/{user}:paywall"),
        Flaw("gid://shop/user/{user}:paywall", right: "gid://shop/User/{user}:paywall"),
        Flaw("gid://shop/user_account/{user}:paywall", right: "gid://shop/UserAccount/{user}:paywall"),
        Flaw("gid://shop/admin::user/{user}", right: "gid://shop/Admin::User/{user}"),
        Flaw("gid://shop/User/{user}::paywall", right: "gid://shop/User/{user}:paywall"),
        Flaw("gid://shop/User/{user}:", right: "gid://shop/User/{user}"),
        Flaw("gid://shop/Team/{user} a:paywall", right: "gid://shop/Team/{user}+a:paywall"),
        Flaw("gid://shop/Team/é/{user}", right: "gid://shop/Team/%C3%A9/{user}"),
        Flaw("x:gid://MyShop/Team/7:{user}", right: "x:gid://my-shop/Team/7:{user}"),
        Flaw("gid://shop/{user}:paywall", right: nil),
        Flaw("gid://{user}/User/1:paywall", right: nil),
        Flaw("gid://shop/{user}/1:paywall", right: nil),
        Flaw("gid://shop/User/{user}/:paywall", right: nil),
        Flaw("gid://shop/User/{user}?a=1:paywall", right: nil),
        Flaw("gid:///User/{user}:paywall", right: nil),
        Flaw("gid://shöp/User/{user}:paywall", right: nil),
        Flaw("gid://shop/Admin:User/{user}", right: nil),
        Flaw("gid://:{user}", right: nil),
    ]) func refusesNamesThatRailsNeverSigns(_ flaw: Flaw) {
        #expect(throws: flaw.flaw) { try StreamPattern(checking: flaw.pattern) }
    }

    @Test(arguments: [
        "gid://shop/User/{user}:paywall", "gid://my-shop/Admin::User/{user}", "gid://shop2/User/7/{user}:a:b",
        "gid://shop/User/%C3%A9+{user}", "gid:{user}", "user::{user}", "{user}:gid:x",
    ]) func takes(_ text: String) throws {
        _ = try StreamPattern(checking: text)
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
        let pattern = try StreamPattern(checking: reversal.pattern)
        let stream = try #require(pattern.stream(for: reversal.user))
        #expect(pattern.user(of: stream) == reversal.user)
    }

    @Test(arguments: [
        "room:1", "user:42", "user::paywall", "user:paywall", "xuser:42:paywall", "user:42:paywallx", "user:42:Paywall",
    ]) func otherStreamsBelongToNobody(_ text: String) throws {
        #expect(StreamPattern.standard.user(of: try #require(StreamName(text))) == nil)
    }

    /// Unused bits, another escape, padding: these decode to the same user but are not the stream that we sign.
    @Test(arguments: ["Z2lkOi8vcC9VLzR:a", "Z2lkOi8vcC9VLzQ=:a", "Z2lkOi8vcC9VLyUzNA:a", "!!!:a", "gid://p/U/4:a"])
    func otherSpellingsOfAParameterBelongToNobody(_ text: String) throws {
        let pattern = try StreamPattern(checking: "gid://p/U/{user}:a")
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
