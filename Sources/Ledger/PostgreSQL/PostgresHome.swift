/// Where a ledger in PostgreSQL is at home: in this database of this cluster, with these tables, reached by one of the known
/// addresses. A promoted standby has the same marks. So has a copy of the whole cluster, which has another address.
extension PostgresEngine {
    /// Whether the ledger is served where it was served before. One that has no home yet gets this one; so does any other if
    /// `isForced`. A node that comes by another way, while one that is at home lives, adds its addresses.
    public func claimHome(isForced: Bool) throws(LedgerError) -> Bool {
        do throws(EngineError) {
            let postgres = PostgresConnection(nodeState.url, options: nodeState.options)
            let isHome = try PostgresSchema.locked(postgres, schema: nodeState.schema) { () throws(EngineError) in
                try claim(postgres, isForced: isForced)
            }
            nodeState.setHome(isHome)
            return isHome
        } catch {
            throw LedgerError(error)
        }
    }

    private func claim(_ postgres: PostgresConnection, isForced: Bool) throws(EngineError) -> Bool {
        let here = try LedgerHome.here(postgres, at: nodeState.url)
        let known = try LedgerHome.stored(postgres)
        guard let known, known != .anywhere else {
            try here.write(postgres)
            return true
        }
        if known.isSame(as: here) { return true }
        let isSame = known.isSameDatabase(as: here)
        let isVouchedFor = isForced || !isSame ? isForced : try hasWitness(postgres)
        guard isVouchedFor else { return false }
        let addresses = isSame ? known.addresses.union(here.addresses) : here.addresses
        try LedgerHome(marks: here.marks, addresses: addresses).write(postgres)
        return true
    }

    /// Whether another node lives that is at home.
    private func hasWitness(_ postgres: PostgresConnection) throws(EngineError) -> Bool {
        try postgres.prepare(
            """
            SELECT count(*) FROM nodes
            WHERE node <> ? AND is_home = 1 AND seen_at > clock_timestamp() - interval '10 seconds'
            """
        ).first([.text(nodeState.node)]) { $0.integer(0) > 0 } ?? false
    }
}

extension LedgerHome {
    /// In the transaction that runs.
    fileprivate static func here(_ postgres: PostgresConnection, at url: PostgresURL) throws(EngineError) -> LedgerHome
    {
        let timeline = try DatabaseTimeline.read(postgres)
        let database = try postgres.prepare(
            "SELECT CAST(oid AS TEXT) FROM pg_database WHERE datname = current_database()"
        ).first { $0.text(0) }
        return LedgerHome(marks: [timeline.system, database, timeline.table], addresses: url.addresses)
    }

    fileprivate static func stored(_ postgres: PostgresConnection) throws(EngineError) -> LedgerHome? {
        try postgres.prepare("SELECT value FROM meta WHERE key = ?").first([.text(key)]) { LedgerHome($0.text(0)) }
    }

    fileprivate func write(_ postgres: PostgresConnection) throws(EngineError) {
        try postgres.prepare("INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value")
            .run([.text(LedgerHome.key), .text(description)])
    }
}

extension PostgresURL {
    /// `HOST:PORT` of each host.
    fileprivate var addresses: Set<String> {
        Set(hosts.map { "\(PostgresURL.name(of: $0).lowercased()):\($0["port"] ?? "5432")" })
    }
}

/// What `paycast release` does.
extension PostgresEngine {
    public static func release(_ url: PostgresURL) throws(LedgerError) {
        var options = PostgresNodeState.options(schema: "paycast")
        options.applicationName = "paycast release"
        let postgres = PostgresConnection(url, options: options)
        do throws(EngineError) {
            try postgres.begin()
            defer { postgres.rollback() }
            let found = try StoredSchema.read(postgres, schema: "paycast")
            guard found != .none else { throw .ofTheLedger("there is none", advice: "check DATABASE_URL") }
            if let refusal = found.refusal { throw .ofTheLedger(refusal) }
            try LedgerHome.anywhere.write(postgres)
            try postgres.commit()
        } catch {
            throw .unreachable(reason: "\(url): \(error.advice)")
        }
    }
}
