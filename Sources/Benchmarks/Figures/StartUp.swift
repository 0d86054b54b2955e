/// The time from the start of the process until it prints that it is listening.
enum StartUp: Benchmark {
    static let name = "startup"

    static func run(_ report: inout Report) throws {
        try withTemporaryFolder { folder in
            let times = try (0..<Comparison.rounds).map { _ in try milliseconds(in: folder) }
            report.add("start with an empty ledger", "ms", median(times))
        }
    }

    static func milliseconds(in folder: String) throws -> Double {
        try PaycastTarget(in: folder).process.startUp / .milliseconds(1)
    }
}
