/// The cost of a ledger in PostgreSQL beside one in SQLite, measured in turns, and the part that the network adds.
enum SharedLedger: Benchmark {
    static let name = "shared"
    private static let count = 10_000
    /// One millisecond each way, as to a database in another building.
    private static let far = 1000

    static func run(_ report: inout Report) throws {
        try withPostgres { postgres in
            try beside(postgres, inFlight: 16, bound: .none, to: &report)
            try beside(postgres, inFlight: 256, bound: .atLeastTimesFloor(0.5), to: &report)
            try lone(postgres, to: &report)
            try throughNetwork(postgres, to: &report)
        }
        report.remark("The floor of `shared` is the same with SQLite; that of `fleet` is one node.")
    }

    private static func beside(
        _ postgres: PostgresServer,
        inFlight: Int,
        bound: Row.Bound,
        to report: inout Report
    ) throws {
        var databases: [Double] = []
        let turns = try turns(postgres) { target in
            let run = try NotificationRun(count, inFlight: inFlight, through: [target], database: postgres)
            databases.append(run.databaseCost)
            return [run.rate, run.cost]
        }
        let figure = "Apple notifications on PostgreSQL, \(count) users, \(inFlight) in flight"
        report.add(turns.row(figure, unit: "per second", bound: bound))
        report.add(turns.row(figure, unit: "µs CPU each, server", index: 1, bound: .none))
        // In each turn SQLite came first, while the database was idle: those values are skipped.
        let cost = median(stride(from: 1, to: databases.count, by: 2).map { databases[$0] })
        report.add(figure, "µs CPU each, database", cost)
    }

    private static func lone(_ postgres: PostgresServer, to report: inout Report) throws {
        let waits = try turns(postgres) {
            [try NotificationRun(1000, inFlight: 1, through: [$0]).waits.percentile(0.5)]
        }
        report.add(waits.row("Apple notifications on PostgreSQL, one in flight, p50", unit: "ms", bound: .none))
    }

    private static func throughNetwork(_ postgres: PostgresServer, to report: inout Report) throws {
        let floods = try rounds {
            try withNodes(1, on: postgres, microseconds: far) {
                try NotificationRun(count, inFlight: 256, through: $0).rate
            }
        }
        let place = "PostgreSQL 1 ms away"
        let figure = "Apple notifications, \(place), 256 in flight"
        report.add(figure, "per second", median(floods), must: .atLeast(400))
        let streams = try rounds {
            try withNodes(1, on: postgres, microseconds: far) {
                try NotificationRun(4000, inFlight: 256, perSecond: 400, through: $0)
            }
        }
        for (name, share, bound) in [("p50", 0.5, Row.Bound.none), ("p99", 0.99, .atMost(60))] {
            let value = median(streams.map { $0.waits.percentile(share) })
            report.add("Apple notifications, \(place), 400/s, \(name)", "ms", value, must: bound)
        }
    }

    private static func rounds<Value>(_ measure: () throws -> Value) rethrows -> [Value] {
        try (0..<Comparison.rounds).map { _ in try measure() }
    }

    /// SQLite first, then PostgreSQL.
    private static func turns(
        _ postgres: PostgresServer,
        measure: (PaycastTarget) throws -> [Double]
    ) throws -> Comparison {
        try Comparison(
            floor: { try with(PaycastTarget.init(in:)) { try measure($0) } },
            paycast: { try withNodes(1, on: postgres) { try measure($0[0]) } }
        )
    }
}
