import Domain
import Support
import TestSupport

@testable import Ledger

/// A ledger in PostgreSQL with as many entries as a test wants, and a connection as a node has it.
struct FilledPostgres {
    let cluster: PostgresCluster
    let engine: PostgresEngine
    let connection: PostgresLedgerConnection
    /// The partitions that are empty.
    let reserve: Set<String>

    init(_ cluster: PostgresCluster, entries: Int64, partitionSize: Int64) throws {
        self.cluster = cluster
        let url = try PostgresURL(cluster.url)
        engine = try PostgresEngine(url: url, node: "one", partitionSize: partitionSize)
        try FilledPostgres.send(StatementPlansTests.event, to: engine)
        try FilledPostgres.fill(url, entries: entries, partitionSize: partitionSize)
        reserve = try FilledPostgres.analyze(cluster, url)
        let epoch = try cluster.psql("SELECT epoch FROM paycast.head")
        let nodeState = PostgresNodeState(
            url,
            schema: "paycast",
            node: "two",
            version: "",
            epoch: epoch,
            partitionSize: partitionSize
        )
        connection = PostgresLedgerConnection(nodeState)
    }

    private static func send(_ event: Event, to engine: PostgresEngine) throws {
        var store = try engine.openRepository(policy: AccessPolicy(sandboxUsers: .only([])), streams: .standard)
        try store.begin()
        let incoming = IncomingEvent(event, claim: Claim(user: FilledLedger.user), receivedAt: event.signedAt)
        _ = try store.record(incoming, now: event.signedAt)
        try store.commit()
        store.file?.finish()
    }

    /// Without the trigger for each row: the ids come all at once.
    private static func fill(_ url: PostgresURL, entries: Int64, partitionSize: Int64) throws {
        var options = PostgresOptions()
        options.settings = [("search_path", "paycast"), ("session_replication_role", "replica")]
        options.statement = .zero
        options.answer = .seconds(3600)
        let postgres = PostgresConnection(url, options: options)
        try postgres.execute("UPDATE head SET position = \(entries); SELECT reserve_positions(\(partitionSize))")
        let filled = FilledLedger(entries: entries, isShared: true)
        for sql in filled.slices.joined() + filled.others { try postgres.execute(sql) }
        try postgres.execute(
            """
            INSERT INTO event_ids SELECT event, provider, environment, position FROM events
            ORDER BY event, provider, environment ON CONFLICT DO NOTHING
            """
        )
    }

    /// As autovacuum does, which leaves alone what is empty. Returns the empty ones.
    private static func analyze(_ cluster: PostgresCluster, _ url: PostgresURL) throws -> Set<String> {
        var options = PostgresOptions()
        options.statement = .zero
        options.answer = .seconds(3600)
        let postgres = PostgresConnection(url, options: options)
        var empty: Set<String> = []
        let tables = try cluster.psql(
            "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'paycast'::regnamespace"
        )
        for table in tables.split(separator: "\n") {
            if try cluster.psql("SELECT EXISTS (SELECT FROM paycast.\(table))") == "t" {
                try postgres.execute("VACUUM ANALYZE paycast.\(table)")
            } else {
                empty.insert(String(table))
            }
        }
        return empty
    }

    /// As a node would run it for `values`, or for nothing. Pruning leaves out what they do not concern.
    func plan(of sql: String, values: [String]? = nil, isPruned: Bool = true) throws -> QueryPlan {
        let settings = PostgresNodeState.options(schema: "paycast").settings.map { "SET \($0.name) = '\($0.value)'" }
        let count = (1...99).last { sql.contains("$\($0)") } ?? 0
        let given = values ?? Array(repeating: "NULL", count: count)
        let arguments = given.isEmpty ? "" : "(\(given.joined(separator: ", ")))"
        let commands =
            settings + [
                "SET enable_partition_pruning = \(isPruned)", "PREPARE explained AS \(sql)",
                "EXPLAIN (FORMAT JSON) EXECUTE explained\(arguments)",
            ]
        let printed = try cluster.psql(commands.joined(separator: "; "))
        return try QueryPlan(json: String(printed.drop { $0 != "[" }))
    }
}
