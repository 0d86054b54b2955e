/// Pages fall asleep with half-open sockets, events are committed, and the pages are shown again.
enum SleepingPages: Benchmark {
    static let name = "sleep"
    private static let pages = 2000

    static func run(_ report: inout Report) throws {
        try withTemporaryFolder { folder in
            let fixture = try PagesFixture(in: folder, channels: 1)
            for _ in 0..<PageState.targets { try fixture.commit() }
            let transports = PagesFixture.Transport.allCases
            try fixture.open(pages, over: transports)
            let awake = try fixture.gauge("paycast_connections")
            for page in 0..<pages { fixture.pages.abandon(page) }
            for _ in 0..<3 { try fixture.commit() }
            try fixture.finish()
            try returning(fixture, transports: transports, to: &report)
            try freed(fixture, awake: awake, to: &report)
        }
    }

    /// All pages but the raw WebSockets, which nothing reopens.
    private static func returning(
        _ fixture: PagesFixture,
        transports: [PagesFixture.Transport],
        to report: inout Report
    ) throws {
        let start = nanoseconds()
        var times: [[Double]] = transports.map { _ in [] }
        fixture.pages.onChange = { [unowned fixture] page, change, now in
            if change.new > change.old, fixture.isCurrent(page) {
                times[page % transports.count].append(Double(now - start) / 1e9)
            }
        }
        let sleepers = (0..<pages).filter { transports[$0 % transports.count] != .webSocket }
        for page in sleepers { fixture.pages.show(page, now: start) }
        try fixture.waitUntilCurrent(sleepers)
        for (times, transport) in zip(times, transports) where transport != .webSocket {
            let figure = "sleep: \(pages / transports.count) pages, \(transport.rawValue), shown again → current"
            let sorted = times.sorted()
            report.add(Row(figure: "\(figure), p50", unit: "s", value: percentile(0.5, sorted)))
            report.add(Row(figure: "\(figure), all", unit: "s", value: percentile(1, sorted)))
        }
        fixture.pages.onChange = nil
    }

    /// The server closes a WebSocket that answers no ping.
    private static func freed(_ fixture: PagesFixture, awake: Int, to report: inout Report) throws {
        let start = nanoseconds()
        var connections = Int.max
        var nextLook = start
        // The kernel still acknowledges for the other sleepers: the server keeps their old socket beside the new one.
        let expected = awake - pages / 4 + 3 * pages / 4
        while connections > expected, nanoseconds() < start + 60 * second {
            fixture.pages.turn()
            guard nanoseconds() >= nextLook else { continue }
            nextLook += second
            connections = try fixture.gauge("paycast_connections")
        }
        let seconds = Double(nanoseconds() - start) / 1e9
        let figure = "sleep: \(pages / 4) dead WebSockets, ended by the server after"
        report.add(Row(figure: figure, unit: "s", value: seconds, bound: .atMost(45)))
    }
}
