/// Every page loses its network about every 15 s, for 2 s, while 2 messages are sent per second. This is AnyCable's
/// jitter test (https://github.com/anycable/anycable/tree/master/docs), but with the clients as they ship.
enum NetworkDrops: Benchmark {
    static let name = "jitter"
    private static let pages = 5001
    private static let messages = 120
    private static let interval = 500 * millisecond
    private static let outage = 2 * second

    static func run(_ report: inout Report) throws {
        let outcome = try withTemporaryFolder { try measure(in: $0) }
        for (kind, transport) in PagesFixture.Transport.returning.enumerated() {
            let figure = "jitter: \(pages / 3) pages, \(transport.rawValue)"
            report.add("\(figure), updates shown", "%", outcome.shown(kind), must: .atLeast(100))
            let shares: KeyValuePairs = ["p50": 0.5, "p95": 0.95, "p99": 0.99, "max": 1]
            report.add("\(figure), missed → shown", "s", of: outcome.late[kind], shares)
            report.add("\(figure), live p99", "ms", 1000 * outcome.live[kind].sorted().percentile(0.99))
        }
        report.add("jitter: told to load again", "pages", Double(outcome.refreshes), must: .atMost(0))
        report.add("jitter: connections cut", "", Double(outcome.cuts))
        report.remark(
            "AnyCable publishes for its own client (10,000 clients, 120 messages at 2/s, each dropped about every 15 s for about 2 s): 100 %, replay p50 0.25 s, p95 4.1 s, p99 6.1 s, max 9.2 s; Socket.IO 84.55 %, uWebSockets 87.03 %."
        )
    }

    private static func measure(in folder: String) throws -> NetworkDropsOutcome {
        let fixture = try PagesFixture(in: folder, channels: 1)
        for _ in 0..<PageState.targets { try fixture.commit() }
        try fixture.open(pages, over: PagesFixture.Transport.returning)
        let outcome = NetworkDropsOutcome(pages: pages, on: fixture)
        let begin = nanoseconds()
        var cutAt = (0..<pages).map { _ in begin + .random(in: 0...(15 * second)) }
        var sent = 0
        let end = begin + UInt64(messages) * interval
        while nanoseconds() < end {
            fixture.pages.turn()
            if let regression = fixture.pages.regression { throw BenchmarkError.hole(regression) }
            let now = nanoseconds()
            if sent < messages, now >= begin + UInt64(sent) * interval {
                sent += 1
                try fixture.commit()
            }
            for page in 0..<pages where cutAt[page] <= now {
                cutAt[page] = now + outage + nanoseconds(.random(in: 10...20))
                outcome.cut(page, at: now)
                fixture.pages.cut(page, until: now + outage, now: now)
            }
        }
        try fixture.finish()
        try fixture.waitUntilCurrent()
        outcome.refreshes = fixture.pages.refreshes
        return outcome
    }
}

/// The updates that each page received, and their delays.
final class NetworkDropsOutcome {
    private struct Outage {
        var from: UInt64
        var to: UInt64
    }

    private let fixture: PagesFixture
    private var outages: [Outage]
    private var received = [0, 0, 0]
    private(set) var cuts = 0
    var refreshes = 0
    /// Seconds, by transport: for updates sent during an outage (`late`), and for all others (`live`).
    private(set) var late: [[Double]] = [[], [], []]
    private(set) var live: [[Double]] = [[], [], []]
    private let first: Int

    init(pages: Int, on fixture: PagesFixture) {
        self.fixture = fixture
        outages = Array(repeating: Outage(from: 0, to: 0), count: pages)
        first = fixture.versions[0] ?? 0
        fixture.pages.onSubscribed = { [unowned self] page, now in connected(page, at: now) }
        fixture.pages.onChange = { [unowned self] page, change, now in changed(page, to: change, at: now) }
    }

    func cut(_ page: Int, at now: UInt64) {
        cuts += 1
        // The page was cut again before it came back: count one outage.
        if outages[page].to == .max { return }
        outages[page] = Outage(from: now, to: .max)
    }

    /// The share of (page, update) pairs in which the page showed the update, or a newer state of the same target.
    func shown(_ kind: Int) -> Double {
        let pages = outages.indices.count { $0 % 3 == kind }
        let updates = (fixture.versions[0] ?? 0) - first
        return 100 * Double(received[kind]) / Double(pages * updates)
    }

    private func connected(_ page: Int, at now: UInt64) {
        if outages[page].to == .max { outages[page].to = now }
    }

    private func changed(_ page: Int, to change: PageState.Change, at now: UInt64) {
        guard change.new > change.old else { return }
        let kind = page % 3
        for version in stride(from: change.old + PageState.targets, through: change.new, by: PageState.targets) {
            received[kind] += 1
            let sent = fixture.sentAt[0][version]
            let seconds = Double(now - sent) / 1e9
            if sent >= outages[page].from && sent < outages[page].to {
                late[kind].append(seconds)
            } else {
                live[kind].append(seconds)
            }
        }
    }
}
