import Domain

/// Apple's notifications, each for another user, through one node or several: the number a second, and the time for
/// which each waited for its answer.
struct NotificationRun {
    let rate: Double
    /// Sorted, in milliseconds.
    let waits: [Double]
    /// The CPU time of the nodes and of the database for each notification, in microseconds.
    let cost: Double
    let databaseCost: Double

    /// `inFlight` of them are in progress at once, over all nodes. Without `perSecond`, the next one leaves as soon as
    /// one is answered.
    init(
        _ count: Int,
        inFlight: Int,
        perSecond: Int? = nil,
        through nodes: [PaycastTarget],
        database: PostgresServer? = nil
    ) throws {
        let loop = LoadLoop()
        let publishers = nodes.map { Publishers($0, connections: inFlight / nodes.count, on: loop) }
        let purchases = try PurchaseLoad(count, of: .apple, at: nodes[0], publishers: publishers[0])
        var waits: [Double] = []
        for publisher in publishers { publisher.onAnswer = { waits.append(Double($0) / 1e6) } }
        let figures = nodes.map { ProcessFigures(id: $0.process.id) }
        let processorTime = { figures.reduce(0) { $0 + $1.processorTime } }
        let before = processorTime()
        let databaseBefore = database?.processorTime ?? 0
        let start = nanoseconds()
        for (number, request) in purchases.requests.enumerated() {
            let due = perSecond.map { start + UInt64(number) * 1_000_000_000 / UInt64($0) } ?? start
            while nanoseconds() < due { loop.turn(milliseconds: 1) }
            try loop.turn(until: "an answer") { publishers.contains(where: \.isFree) }
            // In turns, skipping a node that is behind.
            let order = publishers.indices.map { publishers[(number + $0) % publishers.count] }
            try order.first(where: \.isFree)?.send(request)
            loop.turn(milliseconds: 0)
        }
        for publisher in publishers { try publisher.finish() }
        rate = Double(count) / (Double(nanoseconds() - start) / 1e9)
        self.waits = waits.sorted()
        cost = (processorTime() - before) / Double(count)
        databaseCost = ((database?.processorTime ?? 0) - databaseBefore) / Double(count)
    }
}

/// Runs `count` nodes on one new ledger in PostgreSQL until `body` ends; through a network of `microseconds` each way,
/// if they are given.
func withNodes<Result>(
    _ count: Int,
    on postgres: PostgresServer,
    microseconds: Int? = nil,
    _ body: ([PaycastTarget]) throws -> Result
) throws -> Result {
    let database = try postgres.newDatabase()
    return try withTemporaryFolder { folder in
        let network = try microseconds.map { try DelayedPort(to: postgres.port, microseconds: $0, in: folder) }
        return try withExtendedLifetime(network) {
            let url = postgres.url(database, port: network?.port)
            let nodes = try (0..<count).map { _ in try PaycastTarget(in: folder, port: 0, database: url) }
            return try withExtendedLifetime(nodes) { try body(nodes) }
        }
    }
}
