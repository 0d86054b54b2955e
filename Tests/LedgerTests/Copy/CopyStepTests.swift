import Testing

@testable import PostgresLedger

@Suite struct CopyStepTests {
    private static let record = CopyRecord(
        source: "paycast.db",
        stamp: "s1",
        epoch: "abc",
        run: "r",
        isSound: true,
        rows: 7
    )

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var record: CopyRecord?
        var occupant: String?
        var epoch = "abc"
        var stamp = "s1"
        var expected: Result<CopyStep, CopyError>
    }

    private static func changed(_ change: (inout CopyRecord) -> Void) -> CopyRecord {
        var record = record
        change(&record)
        return record
    }

    static let cases = [
        Case(testDescription: "nothing there", expected: .success(.begin)),
        Case(testDescription: "another ledger", occupant: "xyz-3", expected: .failure(.occupied("db", head: "xyz-3"))),
        Case(testDescription: "interrupted", record: record, occupant: "xyz-3", expected: .success(.resume)),
        Case(testDescription: "interrupted before the first row", record: record, expected: .success(.resume)),
        Case(
            testDescription: "served meanwhile",
            record: record,
            stamp: "s2",
            expected: .success(.startOver(because: "the source has changed since the copy began"))
        ),
        Case(
            testDescription: "compared, and different",
            record: changed { $0.isSound = false },
            expected: .success(.startOver(because: "the earlier copy differs from the source"))
        ),
        Case(
            testDescription: "half of another ledger",
            record: record,
            epoch: "xyz",
            expected: .failure(.otherSource("db", begunFrom: "paycast.db"))
        ),
    ]

    @Test(arguments: cases) func isDecided(_ given: Case) {
        let step = Result { () throws(CopyError) in
            try CopyStep(
                record: given.record,
                occupant: given.occupant,
                epoch: given.epoch,
                stamp: given.stamp,
                target: "db"
            )
        }
        #expect(step == given.expected)
    }
}
