import Testing

@testable import Commands

@Suite struct PlayErrorTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var expected: String
        var html: String?
        var hint: String
    }

    /// A server without templates tells pages to ask their app.
    @Test(arguments: [
        Case(testDescription: "nothing", expected: "success", hint: "nothing arrived"),
        Case(testDescription: "no template", expected: "success", html: #"action="refresh""#, hint: "no template"),
        Case(
            testDescription: "no template for the target",
            expected: "paywall:success",
            html: #"action="refresh""#,
            hint: "no template"
        ),
        Case(testDescription: "another", expected: "revoked", html: #"action="refresh""#, hint: "paywall:success"),
        Case(testDescription: "other markup", expected: "success", html: "x", hint: "it received paywall:success"),
    ]) func pageThatReceivedSomethingElse(_ given: Case) throws {
        let message = given.html.map { PageWatch.Message(html: $0, fragments: ["paywall:success"]) }
        let error = PlayError.page(try Expectation(given.expected), received: [message].compactMap { $0 })
        let words = error.message { _ in CommandFailure("") }
        #expect(words.contains(given.hint), "\(words)")
    }
}
