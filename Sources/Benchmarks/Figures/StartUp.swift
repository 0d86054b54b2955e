/// From the start of the process to the line that says it listens.
enum StartUp: Benchmark {
    static let name = "startup"
    private static let events = 1_000_000

    static func run(_ report: inout Report) throws {
        try withTemporaryFolder { folder in
            report.add(try row("start with an empty ledger", in: folder))
            try LedgerFill.fill(folder + "/paycast.db", events: events)
            report.add(try row("start with \(events) events", in: folder))
        }
    }

    private static func row(_ figure: String, in folder: String) throws -> Row {
        let times = try (0..<Comparison.rounds).map { _ in try PaycastTarget(in: folder).process.startUp }
        return Row(figure: figure, unit: "ms", value: median(times.map { $0 / .milliseconds(1) }))
    }
}
