import Testing

@testable import Ledger

@Suite struct CommitOutcomeTests {
    enum Outcome { case committed, refused, notReplicated, unknown }

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var tag: String?
        var failure: EngineError.Kind?
        var isLost = false
        var hasWarning = false
        var outcome: Outcome
    }

    @Test(arguments: [
        Case(testDescription: "answered", tag: "COMMIT", outcome: .committed),
        Case(
            testDescription: "answered, then lost",
            tag: "COMMIT",
            failure: .connectionLost,
            isLost: true,
            outcome: .committed
        ),
        Case(testDescription: "answered with ROLLBACK", tag: "ROLLBACK", outcome: .refused),
        Case(testDescription: "a statement failed", failure: .unique, outcome: .refused),
        Case(testDescription: "a deferred check failed", failure: .statement, outcome: .refused),
        Case(testDescription: "lost without a word", failure: .connectionLost, isLost: true, outcome: .unknown),
        Case(testDescription: "last words", failure: .shuttingDown, isLost: true, outcome: .unknown),
        Case(testDescription: "the server does not know", failure: .outcomeUnknown, outcome: .unknown),
        Case(testDescription: "warned, answered", tag: "COMMIT", hasWarning: true, outcome: .notReplicated),
        Case(
            testDescription: "warned, lost",
            failure: .connectionLost,
            isLost: true,
            hasWarning: true,
            outcome: .notReplicated
        ),
        Case(testDescription: "nothing seen at all", outcome: .unknown),
    ]) func followsTheEvidence(_ given: Case) {
        let found = CommitOutcome(
            tag: given.tag,
            failure: given.failure.map { EngineError($0, "why") },
            isLost: given.isLost,
            hasWarning: given.hasWarning
        )
        let outcome: Outcome =
            switch found {
            case .committed: .committed
            case .refused: .refused
            case .notReplicated: .notReplicated
            case .unknown: .unknown
            }
        #expect(outcome == given.outcome)
    }
}
