import Testing

@testable import Commands

@Suite struct FeedReasonTests {
    struct Case: Sendable {
        var json: String
        var reason: String?
    }

    @Test(arguments: [
        Case(json: #"{"outcome":"applied"}"#, reason: nil), Case(json: #"{"kind":"broadcast"}"#, reason: nil),
        Case(json: #"{"outcome":"stale"}"#, reason: "something newer"),
        Case(json: #"{"outcome":"unclaimed"}"#, reason: "no user is known"),
        Case(json: #"{"outcome":"quarantined"}"#, reason: "contradicts the order"),
        Case(json: #"{"outcome":"ignored"}"#, reason: "not about a contract"),
        Case(json: #"{"outcome":"ignored","contract":"1"}"#, reason: "nothing new"),
        Case(json: #"{"outcome":"ignored","reason":"the server's word"}"#, reason: "the server's word"),
    ]) func isToldBesideTheOutcome(_ given: Case) throws {
        let entry = try #require(FeedEntry(.init(type: "message", data: given.json, id: "e-1")))
        let line = FeedLine(isColourful: false).render(entry)
        #expect(given.reason.map { line.hasSuffix(")") && line.contains($0) } ?? !line.contains("("), "\(line)")
    }

    @Test func severalValuesOfAFieldAreAChoice() throws {
        var filter = TailFilter()
        filter.require("user", anyOf: ["1", "2"])
        filter.require("type", anyOf: ["TEST"])
        filter.require("outcome", anyOf: [])
        for (user, isShown) in [("1", true), ("2", true), ("3", false)] {
            let data = #"{"user":"\#(user)","type":"TEST"}"#
            let entry = try #require(FeedEntry(.init(type: "message", data: data, id: "e-1")))
            #expect(filter.matches(entry) == isShown)
        }
        #expect(filter.query.map(\.name) == ["type"], "a choice is made here")
    }
}
