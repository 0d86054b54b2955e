import Domain
import Support
import Synchronization

/// A node's knowledge of the ledger that it shares with other nodes. Any thread may use it.
final class PostgresNodeState: Sendable {
    /// Where commits are notified, as `epoch:position`.
    static let channel = "paycast"
    /// Where pieces of messages go.
    static let messages = "paycast_messages"

    let url: PostgresURL
    /// Where the tables are: a schema of their own, because the database may be the app's.
    let schema: String
    /// Names this process among the nodes.
    let node: String
    /// Paycast's own, for whoever looks at the nodes.
    let version: String
    /// Names the ledger in its cursors, as this node knew it at its start.
    let epoch: String
    /// This process, among those that send messages.
    let sender = Int64.random(in: 0..<1 << 31)
    private let messageCount = Atomic<Int64>(0)
    /// The newest messages of other nodes, on all connections that have listened so far.
    let heard = Mutex(NewestMessageNumbers())
    /// How many positions a partition has.
    let partitionSize: Int64
    /// Positions below it have a partition, as far as this node knows.
    private let reserved = Atomic<Int64>(0)
    /// When the next partitions may be asked for, in nanoseconds of the monotonic clock.
    private let reservationDue = Atomic<UInt64>(0)
    private let batch = Atomic<Int64>(0)
    private let lost = Atomic(false)
    private let home = Atomic(false)
    private let newest: Mutex<(position: Int64, committedAt: Instant)?>
    /// The newest position that was committed or read.
    private let position: Atomic<Int64>

    /// `newest` is what this node recognizes the timeline by.
    init(
        _ url: PostgresURL,
        schema: String,
        node: String,
        version: String = "",
        epoch: String,
        newest: (position: Int64, committedAt: Instant)? = nil,
        partitionSize: Int64 = PartitionedTables.usualSize
    ) {
        self.url = url
        self.schema = schema
        self.node = node
        self.version = version
        self.epoch = epoch
        self.newest = Mutex(newest)
        position = Atomic(newest?.position ?? 0)
        self.partitionSize = partitionSize
    }

    var options: PostgresOptions { PostgresNodeState.options(schema: schema) }

    /// For the log, whose questions are short: a connection that hangs is given up while the lease still lasts.
    var logOptions: PostgresOptions {
        var options = options
        options.applicationName = "paycast log"
        options.connect = .seconds(3)
        options.waitsAsTold = false
        options.statement = .seconds(4)
        options.lock = .seconds(4)
        options.answer = .seconds(5)
        return options
    }

    static func options(schema: String) -> PostgresOptions {
        var options = PostgresOptions()
        options.settings = [("search_path", schema)] + planning
        // Stores wait for an answer meanwhile, for both together when a standby holds a COMMIT up.
        options.lock = .seconds(5)
        options.commit = .seconds(10)
        return options
    }

    /// Each question has an index, so it is planned once, for that index. By its own choice, the server plans when tables
    /// are small, reads them as a whole from then on (4 ms for each event after 4,000 users), and plans some questions
    /// anew each time, which takes longer than to answer them. What has no index, such as the one row of the head, then
    /// looks so expensive that it would be compiled
    /// (https://www.postgresql.org/docs/15/runtime-config-query.html).
    private static let planning = [
        ("plan_cache_mode", "force_generic_plan"), ("enable_seqscan", "off"), ("enable_hashjoin", "off"),
        ("enable_mergejoin", "off"), ("jit", "off"),
    ]

    /// Whether this node serves the ledger at its home; not before it has asked.
    var isHome: Bool { home.load(ordering: .relaxed) }

    func setHome(_ isHome: Bool) { home.store(isHome, ordering: .relaxed) }

    var hasLost: Bool { lost.load(ordering: .relaxed) }

    /// Ascends, whichever connection sends: others refuse a number that they have had.
    func nextMessage() -> Int64 { sender << 32 + messageCount.add(1, ordering: .relaxed).newValue }

    func nextBatch() -> Int64 { batch.add(1, ordering: .relaxed).newValue }

    func committed(_ position: Int64) { self.position.max(position, ordering: .relaxed) }

    /// The least position that a transaction must find if it begins now.
    var seen: Int64 { position.load(ordering: .relaxed) }

    /// The newest entry that this node has committed or published, or found at its start.
    var newestEntry: (position: Int64, committedAt: Instant)? { newest.withLock { $0 } }

    func remember(_ position: Int64, committedAt: Instant) {
        newest.withLock { newest in
            if position > newest?.position ?? 0 { newest = (position, committedAt) }
        }
    }

    /// Whether the next partitions are due. When they could not be made, they are asked for again 10 seconds later, or at
    /// once when the next batch may find no room.
    func needsPartition(after position: Int64) -> Bool {
        let reserved = reserved.load(ordering: .relaxed)
        guard position + partitionSize >= reserved else { return false }
        return position + min(PartitionedTables.roomOfABatch, partitionSize / 2) >= reserved
            || monotonicNanoseconds().nanoseconds >= reservationDue.load(ordering: .relaxed)
    }

    /// Notes that positions below `reserved` have a partition, while the head is at `position`.
    func hasReserved(below reserved: Int64, after position: Int64) {
        self.reserved.store(reserved, ordering: .relaxed)
        let isEnough = position + partitionSize < reserved
        let due: MonotonicTime = isEnough ? 0 : monotonicNanoseconds() + 10_000_000_000
        reservationDue.store(due.nanoseconds, ordering: .relaxed)
    }
}

/// How a node notices that a failover has taken back what was committed: each transaction shows the newest position, and each
/// session the newest entry. What the node then does is in `PostgresMembership+TimelineChange.swift`.
extension PostgresNodeState {
    /// Throws when the server knows less than this node had seen `before`: a failover has lost commits, whose positions
    /// would be given to other entries.
    func see(_ position: Int64, epoch: String, atLeast before: Int64) throws(EngineError) {
        guard epoch == self.epoch, position >= before else { throw lose() }
        committed(position)
    }

    func lose() -> EngineError {
        lost.store(true, ordering: .relaxed)
        return PostgresNodeState.lostCommits
    }

    private static let lostCommits = EngineError.ofTheLedger(
        "it knows less than this server has seen",
        advice: "PostgreSQL has lost commits in a failover, or was restored: this server begins again with a new epoch"
    )
}

extension PostgresLedgerConnection {
    /// A promoted standby may have caught up with what this node has seen, by other commits at the same positions. The
    /// date of the newest entry that it knows tells, once for each session.
    func checkNewestEntry(_ newest: (position: Int64, committedAt: Instant)?) throws(EngineError) {
        guard checkedSession != postgres.session, let newest else { return }
        let found = try postgres.prepare("SELECT committed_at FROM entries WHERE position = ?")
            .first([.integer(newest.position)]) { row in row.integer(0) }
        guard found == newest.committedAt.milliseconds else { throw nodeState.lose() }
        checkedSession = postgres.session
    }
}
