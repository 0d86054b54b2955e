import Testing

@testable import Ledger

@Suite struct TimelineDecisionTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// What the nodes have written down.
        var stored: String?
        var found = "7001/00000001/16400"
        /// Nodes that lived a while ago.
        var witnesses = 0
        var isPatient = true
        var decision: TimelineDecision
    }

    @Test(arguments: [
        Case(testDescription: "new, or of a version that knew no histories", stored: nil, decision: .remember),
        Case(testDescription: "a restart", stored: "7001/00000001/16400", decision: .goOn),
        Case(testDescription: "a restart beside others", stored: "7001/00000001/16400", witnesses: 3, decision: .goOn),
        Case(
            testDescription: "promoted, and nobody lives",
            stored: "7001/00000001/16400",
            found: "7001/00000002/16400",
            decision: .changeEpoch
        ),
        Case(
            testDescription: "promoted, and somebody may have seen it",
            stored: "7001/00000001/16400",
            found: "7001/00000002/16400",
            witnesses: 1,
            decision: .wait
        ),
        Case(
            testDescription: "promoted, and whoever lived has said nothing for too long",
            stored: "7001/00000001/16400",
            found: "7001/00000002/16400",
            witnesses: 1,
            isPatient: false,
            decision: .changeEpoch
        ),
        Case(
            testDescription: "promoted, and another node has vouched or begun anew",
            stored: "7001/00000002/16400",
            found: "7001/00000002/16400",
            witnesses: 2,
            decision: .goOn
        ),
        Case(
            testDescription: "restored on another server",
            stored: "7001/00000001/16400",
            found: "7002/00000001/16400",
            decision: .changeEpoch
        ),
        Case(
            testDescription: "restored on the same server",
            stored: "7001/00000001/16400",
            found: "7001/00000001/17200",
            decision: .changeEpoch
        ),
        Case(
            testDescription: "a service that tells only the tables",
            stored: "-/-/16400",
            found: "-/-/16400",
            decision: .goOn
        ),
        Case(
            testDescription: "restored on a service that tells only the tables",
            stored: "-/-/16400",
            found: "-/-/17200",
            decision: .changeEpoch
        ),
        Case(testDescription: "a right was given", stored: "-/-/16400", decision: .goOn),
        Case(
            testDescription: "a right was taken away",
            stored: "7001/00000002/16400",
            found: "-/-/16400",
            decision: .goOn
        ),
        Case(
            testDescription: "an operator has written something else there",
            stored: "restored",
            decision: .changeEpoch
        ),
    ]) func decides(_ given: Case) {
        let decision = TimelineDecision(
            stored: given.stored.map { DatabaseTimeline($0) },
            found: DatabaseTimeline(given.found),
            witnesses: given.witnesses,
            isPatient: given.isPatient
        )
        #expect(decision == given.decision)
    }

    /// Nodes that were seen between these two times have not come back.
    @Test(
        arguments: [
            (lived: 90_000, seen: 100_000, dead: 80_000...100_000),
            (lived: 90_000, seen: 3_700_000, dead: 80_000...3_700_000),
            // The former primary's clock was ahead.
            (lived: 120_000, seen: 100_000, dead: 100_000...100_000),
        ] as [(lived: Int64, seen: Int64, dead: ClosedRange<Int64>)]
    )
    func waitsForNodesThatLived(_ given: (lived: Int64, seen: Int64, dead: ClosedRange<Int64>)) {
        let change = TimelineChange(livedAt: given.lived, seenAt: given.seen)
        #expect(change.dead == given.dead)
        #expect(!change.isOver(at: given.seen + 15_000) && change.isOver(at: given.seen + 15_001))
    }

    @Test(arguments: ["7001/00000001/16400", "-/-/16400", "7001/-/16400"]) func readsWhatItWrites(_ text: String) {
        #expect(DatabaseTimeline(text).description == text)
    }
}
