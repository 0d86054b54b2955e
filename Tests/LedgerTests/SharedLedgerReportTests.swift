import Ledger
import Testing

@Suite struct SharedLedgerReportTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var queuePercent: Int64 = 0
        var clockAhead: Int64 = 0
        var warnings: [String] = []
    }

    @Test(arguments: [
        Case(testDescription: "at peace"),
        Case(testDescription: "a queue in use", queuePercent: 1),
        Case(testDescription: "a queue that fills", queuePercent: 2, warnings: ["queue is 2 % full"]),
        Case(testDescription: "a full queue", queuePercent: 100, warnings: ["queue is 100 % full"]),
        Case(testDescription: "a slow answer", clockAhead: 2000),
        Case(testDescription: "ahead", clockAhead: 2001, warnings: ["clock is 2 s ahead of PostgreSQL's"]),
        Case(testDescription: "behind", clockAhead: -300_000, warnings: ["clock is 300 s behind PostgreSQL's"]),
        Case(
            testDescription: "both",
            queuePercent: 7,
            clockAhead: -9000,
            warnings: ["queue is 7 % full", "clock is 9 s behind"]
        ),
    ]) func warns(_ given: Case) {
        var report = SharedLedgerReport()
        report.queuePercent = given.queuePercent
        report.clockAhead = given.clockAhead
        let told = report.warnings
        #expect(told.count == given.warnings.count, "\(told)")
        for (text, expected) in zip(told, given.warnings) { #expect(text.contains(expected)) }
    }

    @Test func namesEachVersionOnce() {
        var report = SharedLedgerReport()
        report.nodes = ["0.2.0", "0.1.0", "0.2.0"].enumerated().map { number, version in
            SharedLedgerReport.Node(name: "\(number)", version: version, silentSeconds: Int64(number), leads: false)
        }
        #expect(report.versions == ["0.1.0", "0.2.0"])
        #expect(report.aged(seconds: 5).nodes.map(\.silentSeconds) == [5, 6, 7])
    }
}
