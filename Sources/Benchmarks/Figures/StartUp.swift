/// From the start of the process to the line that says it listens.
enum StartUp: Benchmark {
    static let name = "startup"
    private static let events = 1_000_000

    static func run(_ report: inout Report) throws {
        let folder = try TemporaryFolder()
        report.add(try row("start with an empty ledger", in: folder.path))
        try LedgerFill.fill(folder.path + "/paycast.db", events: events)
        report.add(try row("start with \(events) events", in: folder.path))
    }

    private static func row(_ figure: String, in folder: String) throws -> Row {
        let times = try (0..<Comparison.rounds).map { _ in try PaycastTarget(in: folder).process.startUp }
        return Row(figure: figure, unit: "ms", value: median(times.map { $0 / .milliseconds(1) }))
    }
}
