import Domain
import Glibc

/// A ledger in PostgreSQL.
final class PostgresSide: CopySide {
    private static let schema = "paycast"

    let name: String
    let connection: any LedgerConnection
    let takesZeroBytes = false
    private let postgres: PostgresConnection
    /// The number of an advisory lock that nobody else knows.
    private let mark = Int64.random(in: .min ... .max)

    /// Only reads: a target may turn out to be the source.
    init(_ url: PostgresURL, isTarget: Bool) throws(CopyError) {
        name = "\(url)"
        var options = PostgresOptions(applicationName: "paycast copy")
        options.settings = [("search_path", PostgresSide.schema)]
        // No limit, because one side waits while the other one works.
        options.idleInTransaction = .zero
        options.statement = .seconds(600)
        options.answer = .seconds(660)
        let node = PostgresNodeState(url, schema: PostgresSide.schema, node: "", epoch: "")
        let connection = PostgresLedgerConnection(node, options: options)
        self.connection = connection
        postgres = connection.postgres
        let (found, isUnfinished) = try reading { () throws(EngineError) in
            let found = try StoredSchema.read(postgres, schema: PostgresSide.schema)
            return (found, try PostgresSchema.hasCopyRecord(postgres, schema: PostgresSide.schema))
        }
        if let refusal = found.refusal { throw CopyError("\(name): \(refusal)") }
        // A server may leave alone what a newer version has added. A copy would lose it.
        let newest = PostgresSchema.newest
        if found.version > newest {
            throw CopyError("\(name): \(LedgerError.newerSchema(found: found.version, supported: newest))")
        }
        guard isTarget || found != .none else { throw .missing(name) }
        guard isTarget || !isUnfinished else { throw .unfinishedSource(name) }
    }

    /// Asks in a transaction of its own.
    private func reading<Result>(_ body: () throws(EngineError) -> Result) throws(CopyError) -> Result {
        defer { rollback() }
        return try trying { () throws(EngineError) in
            try beginReading()
            return try body()
        }
    }

    /// Whether it is the database from which `source` reads at the moment.
    func isSame(as source: PostgresSide) throws(CopyError) -> Bool {
        try source.trying { () throws(EngineError) in
            _ = try source.number("SELECT 1 FROM pg_advisory_xact_lock(?)", [.integer(mark)])
        }
        return try reading { () throws(EngineError) in
            try number("SELECT pg_try_advisory_xact_lock(?)", [.integer(mark)]) == 0
        }
    }

    func createTables() throws(EngineError) {
        try PostgresSchema.migrate(postgres, schema: PostgresSide.schema, forCopy: true)
    }

    /// A node that ends removes its row. A killed one does not, so this waits until it has been silent for the length
    /// of a lease.
    func refuseServers(report: (String) -> Void) throws(CopyError) {
        var first: Int64?
        while true {
            let nodes = try livingNodes()
            guard let newest = nodes.map(\.seen).max() else { return }
            let names = nodes.map(\.name).joined(separator: ", ")
            if let first, newest > first { throw .served(name, by: names) }
            if first == nil { report("waiting to see whether \(names) is still alive") }
            first = newest
            usleep(500_000)
        }
    }

    /// The nodes with a recent heartbeat, and its time in milliseconds.
    private func livingNodes() throws(CopyError) -> [(name: String, seen: Int64)] {
        try reading { () throws(EngineError) in
            guard try PostgresSchema.hasTable(postgres, "nodes") else { return [] }
            let sql = """
                SELECT node, CAST(extract(epoch FROM seen_at) * 1000 AS BIGINT) FROM nodes
                WHERE seen_at > clock_timestamp() - interval '10 seconds' ORDER BY node
                """
            return try postgres.prepare(sql).all { row in (row.text(0), row.integer(1)) }
        }
    }

    func beginReading() throws(EngineError) {
        try postgres.begin("ISOLATION LEVEL REPEATABLE READ READ ONLY")
    }

    /// A node's batch holds the head's row.
    func begin(forOpening: Bool) throws(EngineError) {
        try postgres.begin()
        try postgres.execute("SET LOCAL lock_timeout = '5s'")
        if forOpening { try postgres.execute("SELECT pg_advisory_xact_lock(\(PostgresSchema.openingLock))") }
        try postgres.execute("SELECT position FROM head FOR UPDATE")
    }

    func commit() throws(EngineError) { try postgres.commit() }

    func rollback() { postgres.rollback() }

    /// The stamp is the transaction that moved the head last: each batch moves it, with an entry or without.
    static let stateQuery = """
        SELECT epoch, position, pg_sequence_last_value(CAST(pg_get_serial_sequence('jobs', 'id') AS regclass)),
            CAST(xmin AS TEXT)
        FROM head
        """

    func set(_ state: CopiedState) throws(EngineError) {
        try run(
            "UPDATE head SET epoch = ?, position = ?",
            [.text(state.head.epoch), .integer(state.head.position)]
        )
        // Waits, since a COMMIT has less time than many partitions may take.
        _ = try number("SELECT reserve_positions(?)", [.integer(PostgresEngine.usualPartitionSize)])
        // A history from before would change the epoch at the first start.
        try run("DELETE FROM meta WHERE key = 'history'")
        try run("SELECT setval(pg_get_serial_sequence('audit', 'id'), max(id)) FROM audit HAVING max(id) > 0")
        guard state.lastJob > 0 else { return }
        try run("SELECT setval(pg_get_serial_sequence('jobs', 'id'), ?)", [.integer(state.lastJob)])
    }
}
