import Testing

@testable import Commands

@Suite struct StateRegressionTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// In the order of commits: the event, the state before, the state after.
        var entries: [[String?]]
        /// The event that is to be blamed.
        var label: String?
    }

    @Test(arguments: [
        Case(testDescription: "in order", entries: [["a", nil, "active"], ["b", "active", "revoked"]]),
        Case(
            testDescription: "late, without effect",
            entries: [["b", nil, "revoked"], ["a", "revoked", "revoked"], ["c", "revoked", "active"]]
        ),
        Case(
            testDescription: "late, and the page goes back",
            entries: [["b", nil, "revoked"], ["a", "revoked", "active"]],
            label: "A"
        ),
        Case(
            testDescription: "late after two",
            entries: [["a", nil, "active"], ["c", "active", "expired"], ["b", "expired", "active"]],
            label: "B"
        ),
        Case(
            testDescription: "what the ledger does by itself is nobody's fault",
            entries: [["b", nil, "active"], [nil, "active", "expired"], ["x", "expired", "active"]]
        ),
        Case(testDescription: "of nobody yet", entries: [["b", nil, nil], ["a", nil, "active"]]),
        Case(testDescription: "nothing", entries: []),
    ]) func lateEventsAreJudged(_ given: Case) throws {
        let entries = try given.entries.enumerated().map { number, fields in
            var json = #"{"cursor":"e-\#(number + 1)""#
            for case (let name, let value?) in zip(["event", "previous_state", "state"], fields) {
                json += #","\#(name)":"\#(value)""#
            }
            return try #require(FeedEntry(.init(type: "message", data: json + "}", id: "e-\(number + 1)")))
        }
        let regression = StateRegression(in: entries, history: [("a", "A"), ("b", "B"), ("c", "C")])
        #expect(regression?.label == given.label)
    }
}
