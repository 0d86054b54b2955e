import Domain

/// Several nodes on one ledger: their throughput together, and the delay from one node's webhook to another's page.
enum Fleet: Benchmark {
    static let name = "fleet"
    private static let count = 10_000
    /// Of a core, for a node that has a machine of its own.
    private static let percent = 20

    static func run(_ report: inout Report) throws {
        try withPostgres { postgres in
            try across(postgres, to: &report)
            try listening(postgres, to: &report)
            // The last, because what a flood leaves to write to the disk would delay the others.
            try together(postgres, to: &report)
        }
    }

    /// The load's programs and PostgreSQL run on the same cores as the nodes. So three nodes, each of which also reads what
    /// the others take, cannot do more than one that has all cores; with a part of a core each, as with machines of
    /// their own, they can.
    private static func together(_ postgres: PostgresServer, to report: inout Report) throws {
        let figure = "Apple notifications, three nodes beside one"
        let shared = try turns(postgres, count: count) { _ in nil }
        report.add(shared.row("\(figure), all on the same cores", unit: "per second", bound: .atLeastTimesFloor(1)))
        guard ProcessorShare.isPossible else {
            return report.remark("Without the right to make control groups, no node got a part of a core of its own.")
        }
        let alone = try turns(postgres, count: count / 5) { node in
            guard let share = ProcessorShare(percent: Fleet.percent, of: node.process.id) else {
                throw BenchmarkError.notStarted("the control group of a node")
            }
            return share
        }
        report.add(
            alone.row("\(figure), each with \(percent) % of a core", unit: "per second", bound: .atLeastTimesFloor(1))
        )
    }

    private static func turns(
        _ postgres: PostgresServer,
        count: Int,
        limit: (PaycastTarget) throws -> ProcessorShare?
    ) throws -> Comparison {
        try Comparison(
            floor: { [try rate(of: 1, on: postgres, count: count, limit: limit)] },
            paycast: { [try rate(of: 3, on: postgres, count: count, limit: limit)] }
        )
    }

    private static func rate(
        of nodes: Int,
        on postgres: PostgresServer,
        count: Int,
        limit: (PaycastTarget) throws -> ProcessorShare?
    ) throws -> Double {
        try withNodes(nodes, on: postgres) { nodes in
            let shares = try nodes.map(limit)
            return try withExtendedLifetime(shares) { try NotificationRun(count, inFlight: 255, through: nodes).rate }
        }
    }

    private static func across(_ postgres: PostgresServer, to report: inout Report) throws {
        let rounds = try (0..<Comparison.rounds).map { _ in
            try withNodes(2, on: postgres) { nodes in
                try SwapLatency.latencies(from: nodes[0], to: nodes[1]) {
                    try PurchaseLoad(SwapLatency.count, of: .apple, at: $0, publishers: $1)
                }.sorted()
            }
        }
        let figure = "webhook on one node to page on another, \(SwapLatency.rate)/s, \(SwapLatency.pages) pages"
        for (name, share, limit) in [("p50", 0.5, 6.0), ("p99", 0.99, 25.0)] {
            let value = median(rounds.map { $0.percentile(share) })
            report.add("\(figure), \(name)", "ms", value, must: .atMost(limit))
        }
    }

    /// The work of a node without a page for each event of another node.
    private static func listening(_ postgres: PostgresServer, to report: inout Report) throws {
        let rounds = try (0..<Comparison.rounds).map { _ in try listening(postgres) }
        for (index, unit) in ["µs CPU an event", "bytes an event"].enumerated() {
            for (name, rate) in [("200/s", 0), ("flooded", 1)] {
                let value = median(rounds.map { $0[rate][index] })
                report.add("a node that only listens, \(name)", unit, value)
            }
        }
    }

    private static func listening(_ postgres: PostgresServer) throws -> [[Double]] {
        let database = try postgres.newDatabase()
        return try withTemporaryFolder { folder in
            let wire = try DelayedPort(to: postgres.port, microseconds: 0, in: folder)
            let writer = try PaycastTarget(in: folder, port: 0, database: postgres.url(database))
            let listener = try PaycastTarget(in: folder, port: 0, database: postgres.url(database, port: wire.port))
            return try [200, nil].map { rate in
                let figures = ProcessFigures(id: listener.process.id)
                let loop = LoadLoop()
                try figures.waitUntilIdle(loop)
                let before = (figures.processorTime, wire.bytes)
                // Each notification is an order and an event; only the event has an entry.
                _ = try NotificationRun(2000, inFlight: 64, perSecond: rate, through: [writer])
                try figures.waitUntilIdle(loop)
                return [(figures.processorTime - before.0) / 2000, (wire.bytes - before.1) / 2000]
            }
        }
    }
}
