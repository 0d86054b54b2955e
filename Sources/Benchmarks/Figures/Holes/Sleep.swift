/// Pages fall asleep with half-open sockets, events are committed, and the pages are shown again.
enum Sleep: Benchmark {
    static let name = "sleep"
    private static let pages = 2000

    static func run(_ report: inout Report) throws {
        try withTemporaryFolder { folder in
            let stage = try Stage(in: folder, channels: 1)
            for _ in 0..<PageState.targets { try stage.commit() }
            let transports = Stage.Transport.allCases
            try stage.open(pages, transports)
            let awake = try stage.gauge("paycast_connections")
            for page in 0..<pages { stage.pages.abandon(page) }
            for _ in 0..<3 { try stage.commit() }
            try stage.finish()
            try returning(stage, transports, &report)
            try freed(stage, awake: awake, &report)
        }
    }

    /// All pages but the raw WebSockets, which nothing reopens.
    private static func returning(_ stage: Stage, _ transports: [Stage.Transport], _ report: inout Report) throws {
        let start = nanoseconds()
        var times: [[Double]] = transports.map { _ in [] }
        stage.pages.onChange = { [unowned stage] page, change, now in
            if change.new > change.old, stage.isCurrent(page) {
                times[page % transports.count].append(Double(now - start) / 1e9)
            }
        }
        let sleepers = (0..<pages).filter { transports[$0 % transports.count] != .webSocket }
        for page in sleepers { stage.pages.show(page, now: start) }
        try stage.settle(sleepers)
        for (times, transport) in zip(times, transports) where transport != .webSocket {
            let figure = "sleep: \(pages / transports.count) pages, \(transport.rawValue), shown again → current"
            let sorted = times.sorted()
            report.add(Row(figure: "\(figure), p50", unit: "s", value: percentile(0.5, sorted)))
            report.add(Row(figure: "\(figure), all", unit: "s", value: percentile(1, sorted)))
        }
        stage.pages.onChange = nil
    }

    /// The server closes a WebSocket that answers no ping.
    private static func freed(_ stage: Stage, awake: Int, _ report: inout Report) throws {
        let start = nanoseconds()
        var connections = Int.max
        var nextLook = start
        // The kernel still acknowledges for the other sleepers: the server keeps their old socket beside the new one.
        let expected = awake - pages / 4 + 3 * pages / 4
        while connections > expected, nanoseconds() < start + 60 * second {
            stage.pages.turn()
            guard nanoseconds() >= nextLook else { continue }
            nextLook += second
            connections = try stage.gauge("paycast_connections")
        }
        let seconds = Double(nanoseconds() - start) / 1e9
        let figure = "sleep: \(pages / 4) dead WebSockets, ended by the server after"
        report.add(Row(figure: figure, unit: "s", value: seconds, bound: .atMost(45)))
    }
}
