internal import Domain
internal import LedgerSQL
internal import Postgres
internal import Synchronization

/// What all connections of a node know of the ledger that they share with other nodes. Any thread may use it.
final class PostgresSite: Sendable {
    static let channel = "paycast"

    let url: PostgresURL
    /// Where the tables are: a schema of their own, because the database may be the app's.
    let schema: String
    /// Names this process among the nodes.
    let node: String
    /// Paycast's own, for whoever looks at the nodes.
    let version: String
    /// Names the ledger in its cursors, as this node knew it at its start.
    let epoch: String
    private let batch = Atomic<Int64>(0)
    private let lost = Atomic(false)
    private let newest = Mutex<(position: Int64, committedAt: Instant)?>(nil)
    /// The newest position that was committed or read.
    private let position = Atomic<Int64>(0)

    init(_ url: PostgresURL, schema: String, node: String, version: String, epoch: String) {
        self.url = url
        self.schema = schema
        self.node = node
        self.version = version
        self.epoch = epoch
    }

    var options: PostgresOptions { PostgresSite.options(schema: schema) }

    static func options(schema: String) -> PostgresOptions {
        var options = PostgresOptions()
        options.settings = [("search_path", schema)]
        return options
    }

    var hasLost: Bool { lost.load(ordering: .relaxed) }

    func nextBatch() -> Int64 { batch.add(1, ordering: .relaxed).newValue }

    func committed(_ position: Int64) { self.position.max(position, ordering: .relaxed) }

    /// What a transaction that begins now must find at least.
    var seen: Int64 { position.load(ordering: .relaxed) }

    /// Throws when the server knows less than this node had seen `before`: a failover has lost commits, whose positions
    /// would be given to other entries.
    func see(_ position: Int64, epoch: String, atLeast before: Int64) throws(EngineError) {
        guard epoch == self.epoch, position >= before else { throw lose() }
        committed(position)
    }

    /// The newest entry that this node has published.
    var newestEntry: (position: Int64, committedAt: Instant)? { newest.withLock { $0 } }

    func published(_ position: Int64, committedAt: Instant) { newest.withLock { $0 = (position, committedAt) } }

    func lose() -> EngineError {
        lost.store(true, ordering: .relaxed)
        return PostgresSite.lostCommits
    }

    private static let lostCommits = EngineError.ofTheLedger(
        "it knows less than this server has seen",
        advice: "PostgreSQL has lost commits in a failover, or was restored: this server begins again with a new epoch"
    )
}
