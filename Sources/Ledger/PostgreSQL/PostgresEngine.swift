public import Domain
import Glibc
import Support
import Synchronization

/// A ledger in PostgreSQL, which any number of nodes share.
public struct PostgresEngine: LedgerEngine {
    let nodeState: PostgresNodeState
    let listening: PostgresURL
    /// Whether the ledger got a new epoch as it was opened: the database is on another timeline than before, and no living
    /// node knows that nothing is lost.
    public let hasNewEpoch: Bool
    /// A random text that belongs to this ledger alone, and that all nodes know.
    public let salt: String
    private let opened: (instant: Instant, readAt: MonotonicTime)

    /// How many positions a partition has.
    public static var usualPartitionSize: Int64 { PartitionedTables.usualSize }

    /// Connects, and brings the tables up to date. `listening` is where notifications come through, if they do not at
    /// `url`. `node` names this process among the others.
    public init(
        url: PostgresURL,
        listening: PostgresURL? = nil,
        schema: String = "paycast",
        node: String,
        version: String = "",
        partitionSize: Int64 = usualPartitionSize
    ) throws(LedgerError) {
        var options = PostgresNodeState.options(schema: schema)
        // A step of a migration takes as long as the ledger is large, and whoever waits for it as well.
        options.statement = .zero
        options.answer = .seconds(86_400)
        let postgres = PostgresConnection(url, options: options)
        do throws(EngineError) {
            try PostgresEngine.wait(for: postgres, at: url)
            let opening = try PostgresOpening(postgres, schema: schema, partitionSize: partitionSize)
            nodeState = PostgresNodeState(
                url,
                schema: schema,
                node: node,
                version: version,
                epoch: opening.epoch,
                newest: opening.newest,
                partitionSize: partitionSize
            )
            hasNewEpoch = opening.hasNewEpoch
            salt = opening.salt
            opened = opening.time
        } catch {
            throw .unreachable(reason: "\(url): \(error.advice)")
        }
        self.listening = listening ?? url
    }

    /// The database's report on all nodes, over a connection of its own; nil if it does not answer.
    public func report() -> SharedLedgerReport? {
        let postgres = PostgresConnection(nodeState.url, options: nodeState.options)
        return try? PostgresInspection.report(postgres, asker: nodeState.node)
    }

    /// The database's time, computed from its time when the ledger was opened. No round trip.
    public var now: Instant {
        opened.instant + .nanoseconds(Int64(clamping: monotonicNanoseconds() - opened.readAt))
    }

    /// A server that starts, and a standby that is being promoted, will soon take writes. Of several hosts, one that
    /// answers nothing says nothing about the others.
    private static func wait(for postgres: PostgresConnection, at url: PostgresURL) throws(EngineError) {
        var passing: [EngineError.Kind] = [.shuttingDown, .readOnly]
        if url.namesSeveralHosts { passing.append(.connectionLost) }
        let deadline = ContinuousClock.now + .seconds(30)
        while true {
            do throws(EngineError) {
                return try postgres.open()
            } catch {
                guard passing.contains(error.kind), ContinuousClock.now < deadline else {
                    throw error
                }
                usleep(200_000)
            }
        }
    }

    public func openRepository(policy: AccessPolicy, streams: StreamPattern) throws(LedgerError) -> LedgerRepository {
        try opened(nodeState.options) { connection throws(EngineError) in
            try LedgerRepository(connection, epoch: nodeState.epoch, policy: policy, streams: streams)
        }
    }

    public func openQueries(policy: AccessPolicy, streams: StreamPattern) throws(LedgerError) -> LedgerQueries {
        try opened(nodeState.options) { connection throws(EngineError) in
            try LedgerQueries(connection, epoch: nodeState.epoch, policy: policy, streams: streams)
        }
    }

    private func opened<Opened>(
        _ options: PostgresOptions,
        _ open: (PostgresLedgerConnection) throws(EngineError) -> Opened
    ) throws(LedgerError) -> Opened {
        do throws(EngineError) {
            return try open(PostgresLedgerConnection(nodeState, options: options))
        } catch {
            throw LedgerError(error)
        }
    }
}

/// Following the log, and speaking with the other nodes.
extension PostgresEngine {
    /// Follows what all nodes commit, and takes part in who leads, over one connection.
    func openLog(
        policy: AccessPolicy,
        streams: StreamPattern,
        digests: @escaping () -> [String: [String]] = { [:] }
    ) throws(LedgerError) -> (queries: LedgerQueries, membership: PostgresMembership) {
        try opened(nodeState.logOptions) { connection throws(EngineError) in
            (
                try LedgerQueries(connection, epoch: nodeState.epoch, policy: policy, streams: streams),
                PostgresMembership(connection, digests: digests) { now }
            )
        }
    }

    /// Receives messages from the other nodes and sends them those in `queue`, over one connection. Throws the reason
    /// when the connection breaks, and returns when `queue` is closed.
    func listen(sending queue: NodeMessageQueue, hear: (NodeNews) -> Void) throws(EngineError) {
        var session = try NodeListener(nodeState, at: listening)
        defer { nodeState.heard.withLock { $0 = session.heard } }
        try session.run(sending: queue, hear: hear)
    }
}
