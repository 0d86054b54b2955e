import Domain
import Glibc
import Ledger

/// A ledger in PostgreSQL.
final class PostgresSide: CopySide {
    private static let schema = "paycast"

    let name: String
    let takesZeroBytes = false
    private let postgres: PostgresConnection
    /// The number of an advisory lock that nobody else knows.
    private let mark = Int64.random(in: .min ... .max)

    /// Reads only.
    static func source(_ url: PostgresURL) throws(CopyError) -> PostgresSide {
        let side = PostgresSide(url)
        guard try side.hasLedger() else { throw .missing(side.name) }
        let isUnfinished = try side.reading { () throws(EngineError) in
            try PostgresSchema.hasCopyRecord(side.postgres, schema: schema)
        }
        guard !isUnfinished else { throw .unfinishedSource(side.name) }
        return side
    }

    /// Opens the target without a change, because it may turn out to be the source.
    static func target(_ url: PostgresURL) throws(CopyError) -> PostgresSide {
        let side = PostgresSide(url)
        _ = try side.hasLedger()
        return side
    }

    private init(_ url: PostgresURL) {
        name = "\(url)"
        var options = PostgresOptions(applicationName: "paycast copy")
        options.settings = [("search_path", PostgresSide.schema)]
        // No limit, because one side waits while the other one works.
        options.idleInTransaction = .zero
        options.statement = .seconds(600)
        options.answer = .seconds(660)
        postgres = PostgresConnection(url, options: options)
    }

    private func hasLedger() throws(CopyError) -> Bool {
        let found = try reading { () throws(EngineError) in
            try StoredSchema.read(postgres, schema: PostgresSide.schema)
        }
        if let refusal = found.refusal { throw .refused(name, refusal) }
        // A server may leave alone what a newer version has added. A copy would lose it.
        let newest = PostgresSchema.newest
        if found.version > newest { throw .refused(name, .newerSchema(found: found.version, supported: newest)) }
        return found != .none
    }

    /// Asks in a transaction of its own.
    private func reading<Result>(_ body: () throws(EngineError) -> Result) throws(CopyError) -> Result {
        defer { rollback() }
        return try at(name) { () throws(EngineError) in
            try beginReading()
            return try body()
        }
    }

    /// Whether it is the database from which `source` reads at the moment.
    func isSame(as source: PostgresSide) throws(CopyError) -> Bool {
        try at(source.name) { () throws(EngineError) in
            _ = try source.number("SELECT 1 FROM pg_advisory_xact_lock(?)", [.integer(mark)])
        }
        return try reading { () throws(EngineError) in
            try number("SELECT pg_try_advisory_xact_lock(?)", [.integer(mark)]) == 0
        }
    }

    func createTables() throws(CopyError) {
        try at(name) { () throws(EngineError) in
            try PostgresSchema.migrate(postgres, schema: PostgresSide.schema, forCopy: true)
        }
    }

    /// A node that ends removes its row. A killed one does not, so this waits until it has been silent for the length
    /// of a lease.
    func refuseServers(report: (String) -> Void) throws(CopyError) {
        var first: Int64?
        for round in 0... {
            let nodes = try livingNodes()
            guard let newest = nodes.map(\.seen).max() else { return }
            let names = nodes.map(\.name).joined(separator: ", ")
            if let first, newest > first { throw .served(name, by: names) }
            first = newest
            if round == 0 { report("waiting to see whether \(names) is still alive") }
            usleep(500_000)
        }
    }

    /// The nodes with a recent heartbeat, and its time in milliseconds.
    private func livingNodes() throws(CopyError) -> [(name: String, seen: Int64)] {
        try reading { () throws(EngineError) in
            guard try number("SELECT to_regclass('nodes') IS NOT NULL") == 1 else { return [] }
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

    func commit() throws(EngineError) {
        try postgres.commit()
    }

    func rollback() { postgres.rollback() }

    func rows(_ sql: String, _ values: [Value], as kinds: [CopiedTable.Kind]) throws(EngineError) -> [[Value]] {
        try postgres.prepare(sql).all(values) { row in
            zip(Int32(0)..., kinds).map { column, kind in PostgresSide.value(row, column, kind) }
        }
    }

    private static func value(_ row: PostgresRow, _ column: Int32, _ kind: CopiedTable.Kind) -> Value {
        guard !row.isNull(column) else { return .null }
        switch kind {
        case .integer: return .integer(row.integer(column))
        case .text: return .text(row.text(column))
        case .bytes: return .bytes(row.bytes(column))
        }
    }

    func run(_ sql: String, _ values: [Value]) throws(EngineError) {
        try postgres.prepare(sql).run(values)
    }

    func head() throws(EngineError) -> Cursor {
        Cursor(
            epoch: try text("SELECT epoch FROM head") ?? "",
            position: try number("SELECT position FROM head") ?? 0
        )
    }

    /// The transaction that moved the head last: each batch moves it, with an entry or without.
    func stamp() throws(EngineError) -> String { try text("SELECT CAST(xmin AS TEXT) FROM head") ?? "" }

    func lastJob() throws(EngineError) -> Int64 {
        let sql = "SELECT pg_sequence_last_value(CAST(pg_get_serial_sequence('jobs', 'id') AS regclass))"
        return try number(sql) ?? 0
    }

    func set(_ head: Cursor, lastJob: Int64) throws(EngineError) {
        try run("UPDATE head SET epoch = ?, position = ?", [.text(head.epoch), .integer(head.position)])
        _ = try number("SELECT reserve_positions(?)", [.integer(PostgresEngine.usualPartitionSize)])
        // A history from before would change the epoch at the first start.
        try run("DELETE FROM meta WHERE key = 'history'", [])
        _ = try number("SELECT setval(pg_get_serial_sequence('audit', 'id'), max(id)) FROM audit HAVING max(id) > 0")
        guard lastJob > 0 else { return }
        _ = try number("SELECT setval(pg_get_serial_sequence('jobs', 'id'), ?)", [.integer(lastJob)])
    }
}
