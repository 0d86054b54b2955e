import Domain
import Ledger
import Testing

/// Settings that nodes must have alike. Times are seconds.
@Suite struct NodeSettingsTests {
    private func settings(_ digests: [String: [String]], since: Int64) -> NodeSettings {
        var settings = NodeSettings()
        settings.adopt(digests, at: Instant(milliseconds: since * 1000))
        return settings
    }

    struct Told: Sendable {
        var name: String
        var digests: [String: [String]]
        var since: Int64 = 100
        var silent: Int64 = 1
    }

    private func report(_ nodes: [Told], asker: String?, now: Int64) -> SharedLedgerReport {
        var report = SharedLedgerReport()
        report.now = Instant(milliseconds: now * 1000)
        report.asker = asker
        report.nodes = nodes.map { node in
            SharedLedgerReport.Node(
                name: node.name,
                version: "1",
                silentSeconds: node.silent,
                leads: false,
                settings: settings(node.digests, since: node.since)
            )
        }
        return report
    }

    @Test func aChangeKeepsTheTimeOfTheOthers() {
        var own = settings(["A": ["1"], "B": ["2", "1"], "C": []], since: 1)
        own.adopt(["A": ["2"], "B": ["1", "2"], "C": []], at: Instant(milliseconds: 5000))
        #expect(own.settings.mapValues { $0.since.seconds } == ["A": 5, "B": 1, "C": 1])
        #expect(NodeSettings(own.description) == own)
        #expect(NodeSettings("A\nB x 1\nC 1000 ab,cd\n\nD 1").settings.keys.sorted() == ["C"])
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var nodes: [Told]
        var asker: String? = "a"
        var now: Int64 = 200
        var groups: [[String]] = []
        var since: Int64 = 100
        var isProblem = false
    }

    private static let one = ["X": ["1"], "Y": ["1"]]
    private static let two = ["X": ["2"], "Y": ["1"]]

    @Test(arguments: [
        Case(testDescription: "equal", nodes: [Told(name: "a", digests: one), Told(name: "b", digests: one)]),
        Case(
            testDescription: "a rolling change",
            nodes: [Told(name: "a", digests: two, since: 150), Told(name: "b", digests: one)],
            now: 449,
            groups: [["a"], ["b"]],
            since: 150
        ),
        Case(
            testDescription: "five minutes later",
            nodes: [Told(name: "a", digests: two, since: 150), Told(name: "b", digests: one)],
            now: 450,
            groups: [["a"], ["b"]],
            since: 150,
            isProblem: true
        ),
        Case(
            testDescription: "the one that was so before stays ready",
            nodes: [Told(name: "a", digests: one), Told(name: "b", digests: two, since: 150)],
            now: 450,
            groups: [["a"], ["b"]],
            since: 150
        ),
        Case(
            testDescription: "most have changed",
            nodes: [
                Told(name: "a", digests: one), Told(name: "b", digests: two, since: 110),
                Told(name: "c", digests: two, since: 120),
            ],
            now: 500,
            groups: [["b", "c"], ["a"]],
            since: 110,
            isProblem: true
        ),
        Case(
            testDescription: "most are as they were",
            nodes: [
                Told(name: "a", digests: one), Told(name: "b", digests: two, since: 110), Told(name: "c", digests: one),
            ],
            now: 500,
            groups: [["a", "c"], ["b"]],
            since: 110
        ),
        Case(
            testDescription: "doctor is told all that lasts",
            nodes: [Told(name: "a", digests: one), Told(name: "b", digests: two, since: 150)],
            asker: nil,
            now: 450,
            groups: [["a"], ["b"]],
            since: 150,
            isProblem: true
        ),
        Case(
            testDescription: "a dead node",
            nodes: [Told(name: "a", digests: one), Told(name: "b", digests: two, silent: 11)]
        ),
        Case(
            testDescription: "an older version tells nothing, or less",
            nodes: [
                Told(name: "a", digests: one), Told(name: "b", digests: [:]), Told(name: "c", digests: ["Y": ["1"]]),
            ]
        ),
    ]) func saysWhatDiffers(_ given: Case) {
        let report = report(given.nodes, asker: given.asker, now: given.now)
        let found = report.differences
        #expect(found.map(\.setting) == (given.groups.isEmpty ? [] : ["X"]))
        #expect(found.first?.groups ?? [] == given.groups)
        if let difference = found.first { #expect(difference.since.seconds == given.since) }
        let told = report.settingSentences
        #expect(told.problems.count == (given.isProblem ? 1 : 0), "\(told)")
        #expect(told.warnings.count == (given.groups.isEmpty || given.isProblem ? 0 : 1), "\(told)")
    }

    /// However they differ, a load balancer finds a node that is ready.
    @Test func someNodeAlwaysStays() {
        let nodes = [
            Told(name: "a", digests: ["X": ["2"], "Y": ["1"]], since: 1),
            Told(name: "b", digests: ["X": ["1"], "Y": ["2"]], since: 2),
            Told(name: "c", digests: ["X": ["3"], "Y": ["3"]], since: 3),
        ]
        let ready = nodes.filter { report(nodes, asker: $0.name, now: 1000).settingSentences.problems.isEmpty }
        #expect(ready.map(\.name) == ["a"])
    }
}
