internal import Domain
internal import Glibc
internal import Ledger

extension PostgresSide {
    func tables() throws(CopyError) -> [LedgerTable] {
        let schema = [Value.text(PostgresSide.schema)]
        let (columns, references) = try reading { () throws(EngineError) in
            (
                try rows(PostgresSide.columns, schema, as: [.text, .text, .text, .integer, .integer]),
                try rows(PostgresSide.references, schema, as: [.text, .text])
            )
        }
        let described = columns.map { row in
            var ordinal: Int64? = nil
            if case .integer(let number) = row[3] { ordinal = number }
            return ColumnDescription(table: row[0].word, column: row[1].word, type: row[2].word, ordinal: ordinal)
        }
        // Both engines have to read a table in the same order.
        if let row = columns.first(where: { $0[4].number == 0 }) {
            throw .tables("the key \(row[0].word).\(row[1].word) does not compare as bytes in \(name)")
        }
        return try LedgerTable.tables(described, references: references.map { ($0[0].word, $0[1].word) })
    }

    /// All columns but those of the engine's own tables, which keep the head, the writers, the nodes, the leases, and a
    /// trigger's ids. Partitions are parts of their tables; generated columns are left out. The last column is 0 for a
    /// text in a key that is not compared as bytes.
    private static let columns = """
        SELECT tables.relname, columns.attname, types.typname,
            array_position(CAST(keys.indkey AS int2[]), columns.attnum),
            CASE WHEN columns.attcollation = 0 OR columns.attcollation = CAST('pg_catalog."C"' AS regcollation)
                OR NOT columns.attnum = ANY (keys.indkey) THEN 1 ELSE 0 END
        FROM pg_catalog.pg_class AS tables
        JOIN pg_catalog.pg_attribute AS columns ON columns.attrelid = tables.oid AND columns.attnum > 0
        JOIN pg_catalog.pg_type AS types ON types.oid = columns.atttypid
        LEFT JOIN pg_catalog.pg_index AS keys ON keys.indrelid = tables.oid AND keys.indisprimary
        WHERE tables.relnamespace = CAST(CAST(? AS regnamespace) AS oid) AND tables.relkind IN ('r', 'p')
            AND NOT columns.attisdropped AND columns.attgenerated = ''
            AND NOT tables.relispartition
            AND tables.relname NOT IN ('head', 'writers', 'nodes', 'leases', 'event_ids', '\(UnfinishedCopy.table)')
        """

    private static let references = """
        SELECT tables.relname, targets.relname
        FROM pg_catalog.pg_constraint AS keys
        JOIN pg_catalog.pg_class AS tables ON tables.oid = keys.conrelid
        JOIN pg_catalog.pg_class AS targets ON targets.oid = keys.confrelid
        WHERE keys.contype = 'f' AND tables.relnamespace = CAST(CAST(? AS regnamespace) AS oid)
        """

    func head() throws(CopyError) -> Cursor {
        let row = try reading { () throws(EngineError) in
            try rows("SELECT epoch, position FROM head", [], as: [.text, .integer]).first
        }
        guard let row else { throw .engine(name, reason: "the ledger is damaged, it has no head: restore a backup") }
        return Cursor(epoch: row[0].word, position: row[1].number)
    }

    /// The transaction that moved the head last: each batch moves it, with an entry or without.
    func stamp() throws(CopyError) -> String {
        try reading { () throws(EngineError) in
            let moved = try text("SELECT CAST(xmin AS TEXT) FROM head") ?? ""
            return "\(try database()):\(moved)"
        }
    }

    /// Distinguishes two databases, whatever their addresses.
    func identity() throws(CopyError) -> String {
        try reading { () throws(EngineError) in try database() }
    }

    /// A managed service may refuse to tell the system's identifier. The table `head` and its epoch then stand for it:
    /// the numbers alone may be the same on two new servers.
    private func database() throws(EngineError) -> String {
        let sql = "SELECT CAST(oid AS TEXT) FROM pg_catalog.pg_database WHERE datname = current_database()"
        let database = try text(sql) ?? ""
        if let system = try systemIdentifier() { return "\(database)@\(system)" }
        guard let head = try text("SELECT CAST(CAST(to_regclass('head') AS OID) AS TEXT)") else { return database }
        let isCopy = try PostgresSchema.isUnfinishedCopy(postgres, schema: PostgresSide.schema)
        return "\(database)@\(head)/\(try text("SELECT epoch FROM head") ?? "")\(isCopy ? "/copy" : "")"
    }

    private func systemIdentifier() throws(EngineError) -> String? {
        let sql = "SELECT CAST(system_identifier AS TEXT) FROM pg_catalog.pg_control_system()"
        return try engine { () throws(PostgresError) in
            try postgres.execute("SAVEPOINT identifier")
            do throws(PostgresError) {
                return try postgres.prepare(sql).first { row in row.text(0) }
            } catch {
                guard [.denied, .other].contains(error.kind) else { throw error }
                try postgres.execute("ROLLBACK TO identifier")
                return nil
            }
        }
    }

    func lastNumbers() throws(CopyError) -> [String: Int64] {
        try reading { () throws(EngineError) in
            var numbers: [String: Int64] = [:]
            for (table, sequence) in try sequences() {
                let last = "SELECT pg_catalog.pg_sequence_last_value(CAST(? AS regclass))"
                if let number = try number(last, [.text(sequence)]) { numbers[table] = number }
            }
            return numbers
        }
    }

    private func sequences() throws(EngineError) -> [(table: String, sequence: String)] {
        let sql = """
            SELECT tables.relname, pg_get_serial_sequence(tables.relname, columns.attname)
            FROM pg_catalog.pg_class AS tables
            JOIN pg_catalog.pg_attribute AS columns ON columns.attrelid = tables.oid AND columns.attidentity <> ''
            WHERE tables.relnamespace = CAST(CAST(? AS regnamespace) AS oid)
            """
        return try rows(sql, [.text(PostgresSide.schema)], as: [.text, .text]).map { ($0[0].word, $0[1].word) }
    }

    func clear(_ tables: [LedgerTable]) throws(EngineError) {
        let names = tables.filter { !$0.isMeta }.map { "\"\($0.name)\"" }
        if !names.isEmpty {
            try run("TRUNCATE \(names.joined(separator: ", ")), event_ids RESTART IDENTITY", [])
        }
        for table in tables where table.isMeta { try run(table.clear, []) }
    }

    /// Locks out nodes that open the ledger, then nodes that commit: a node's batch holds the head's row.
    func excludeOthers() throws(EngineError) {
        try run("SET LOCAL lock_timeout = '60s'", [])
        _ = try number("SELECT 1 FROM pg_advisory_xact_lock(\(PostgresSchema.openingLock))")
        _ = try number("SELECT position FROM head FOR UPDATE")
    }

    func makeRoom(upTo head: Cursor) throws(EngineError) {
        try run("UPDATE head SET epoch = ?, position = ?", [.text(head.epoch), .integer(head.position)])
        _ = try number("SELECT reserve_positions(?)", [.integer(PostgresEngine.usualPartitionSize)])
    }

    func set(_ head: Cursor, lastNumbers: [String: Int64]) throws(EngineError) {
        try run("UPDATE head SET epoch = ?, position = ?", [.text(head.epoch), .integer(head.position)])
        // The history of an older ledger would change the epoch at the first start.
        try run("DELETE FROM meta WHERE key = 'history'", [])
        for (table, sequence) in try sequences() {
            guard let number = lastNumbers[table], number > 0 else { continue }
            _ = try self.number("SELECT setval(CAST(? AS regclass), ?)", [.text(sequence), .integer(number)])
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
            return try rows(sql, [], as: [.text, .integer]).map { ($0[0].word, $0[1].number) }
        }
    }
}
