import Glibc

/// The server stops while thousands of pages are open, an event is committed, and the pages return to the restarted
/// server.
enum RestartAvalanche: Benchmark {
    static let name = "avalanche"
    private static let pages = 5000

    static func run(_ report: inout Report) throws {
        try run(&report, name: "SIGTERM", signal: SIGTERM, transports: PagesFixture.Transport.allCases)
        // Turbo never reopens a WebSocket. On SIGTERM, the server replaces its element first; when killed, it cannot.
        try run(&report, name: "kill -9", signal: SIGKILL, transports: PagesFixture.Transport.returning)
        report.remark(
            "Published for a restart of the app under 5,000 clients: Action Cable p50 4.38 s, p95 7.09 s, 187 never; Solid Cable 215 never; AnyCable's server was not restarted."
        )
    }

    private static func run(
        _ report: inout Report,
        name: String,
        signal: Int32,
        transports: [PagesFixture.Transport]
    ) throws {
        let times = try withTemporaryFolder { try measure(transports, signal: signal, in: $0) }
        for (times, transport) in zip(times, transports) {
            let count = pages / transports.count
            let figure = "\(name) under \(pages) pages, \(count) by \(transport.rawValue)"
            report.add("\(figure): current", "s", of: times, ["p50": 0.5, "p95": 0.95, "all": 1])
            let never = Double(max(0, count - times.count))
            report.add("\(figure): never", "pages", never, must: .atMost(0))
        }
    }

    /// Seconds from the server's end until a page shows the newest state, for each page, by transport.
    private static func measure(
        _ transports: [PagesFixture.Transport],
        signal: Int32,
        in folder: String
    ) throws -> [[Double]] {
        let fixture = try PagesFixture(in: folder, channels: 1)
        for _ in 0..<PageState.targets { try fixture.commit() }
        try fixture.open(pages, over: transports)
        let end = nanoseconds()
        var times: [[Double]] = transports.map { _ in [] }
        fixture.pages.onChange = { page, change, now in
            guard change.new > change.old else { return }
            times[page % transports.count].append(Double(now - end) / 1e9)
        }
        fixture.target.process.signal(signal)
        try fixture.pages.turn(until: "the server to end") { fixture.target.process.isGone() }
        try fixture.restart()
        // No page has reconnected yet: the loop has not turned since the restart.
        try fixture.commit()
        try fixture.waitUntilCurrent(timeout: .seconds(90))
        try fixture.finish()
        return times
    }
}
