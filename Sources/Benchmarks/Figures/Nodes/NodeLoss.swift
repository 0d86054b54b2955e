import Glibc

/// `kill -9` of a node with thousands of pages, each with its own stream, which a load balancer then sends to another
/// node.
enum NodeLoss: Benchmark {
    static let name = "nodeloss"
    private static let pages = 5000

    static func run(_ report: inout Report) throws {
        let times = try withPostgres { postgres in
            let url = postgres.url(try postgres.newDatabase())
            return try withTemporaryFolder { try measure(in: $0, database: url) }
        }
        for (times, transport) in zip(times, StockTransport.returning) {
            let figure = "kill -9 of a node under \(pages) pages, \(transport.rawValue)"
            report.add("\(figure): current on another", "s", of: times, ["p50": 0.5, "p95": 0.95, "all": 1])
        }
        let current = times.reduce(0) { $0 + $1.count }
        let figure = "kill -9 of a node under \(pages) pages: never current"
        report.add(figure, "pages", Double(pages - current), must: .atMost(0))
    }

    /// Seconds from the kill until a page shows a fragment that was committed after it, by transport.
    private static func measure(in folder: String, database: String) throws -> [[Double]] {
        let transports = StockTransport.returning
        let fixture = try PagesFixture(in: folder, channels: pages, database: database)
        for _ in 0..<PageState.targets { try fixture.commitToAll() }
        try fixture.open(over: transports)
        let other = try PaycastTarget(in: folder, port: 0, database: database)
        var times: [[Double]] = transports.map { _ in [] }
        let end = nanoseconds()
        fixture.pages.onChange = { page, change, now in
            guard change.new > change.old else { return }
            times[page % transports.count].append(Double(now - end) / 1e9)
        }
        fixture.target.process.signal(SIGKILL)
        fixture.move(to: other)
        try fixture.commitToAll()
        try fixture.waitUntilCurrent(timeout: .seconds(90))
        return times
    }
}
