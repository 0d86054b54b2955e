internal import Domain
internal import Ledger
internal import Support

/// Asks both sides about every user, with the queries that a server uses.
struct EntitlementCheck {
    /// The most permissive policy, so that everything is compared.
    static let policy = AccessPolicy(sandboxUsers: .any, honorsXcode: true)

    let source: any CopySide
    let target: any CopySide
    /// False if texts were replaced because PostgreSQL cannot hold them: then only access is compared.
    let isExact: Bool
    let report: (String) -> Void

    /// One side, with the queries that a server would use.
    private struct QueriedSide {
        let name: String
        let connection: SnapshotConnection
        let queries: LedgerQueries

        init(_ side: any CopySide) throws(CopyError) {
            name = side.name
            let epoch = try side.head().epoch
            let connection = SnapshotConnection(try side.serverConnection())
            self.connection = connection
            queries = try at(side.name) { () throws(EngineError) in
                try LedgerQueries(connection, epoch: epoch, policy: policy, streams: .standard)
            }
        }

        func records(of users: [String], now: Instant) throws(CopyError) -> [Result<UserRecord, LedgerError>] {
            var records: [Result<UserRecord, LedgerError>] = []
            try at(name) { () throws(EngineError) in
                try connection.inOneSnapshot {
                    records = users.map { user in
                        Result { () throws(LedgerError) in
                            try queries.record(of: UserID(user), isWhole: true, now: now)
                        }
                    }
                }
            }
            return records
        }
    }

    /// Returns the number of users.
    func run() throws(CopyError) -> Int64 {
        let sides = (source: try QueriedSide(source), target: try QueriedSide(target))
        let now = Clock().now()
        var count: Int64 = 0
        var last = ""
        var reported = ContinuousClock.now
        while true {
            let users = try users(after: last)
            guard let next = users.last else { return count }
            let wanted = try sides.source.records(of: users, now: now)
            let stored = target.takesZeroBytes ? users : users.map(\.replacingZeroBytes)
            for (found, wanted) in zip(try sides.target.records(of: stored, now: now), wanted) {
                guard try isLike(found, wanted) else {
                    throw .different("user \(count + 1), in order of name, has different entitlements")
                }
                count += 1
            }
            last = next
            if ContinuousClock.now - reported > .seconds(5) {
                reported = .now
                report("entitlements: \(count) users compared")
            }
        }
    }

    /// If the source cannot read a record, neither can the copy; only the wording differs. A lost connection has thrown
    /// before.
    private func isLike(_ found: Result<UserRecord, LedgerError>, _ wanted: Result<UserRecord, LedgerError>)
        throws(CopyError) -> Bool
    {
        switch (found, wanted) {
        case (.success(let found), .success(let wanted)):
            isExact ? found == wanted : found.opensTheSame(as: wanted)
        case (.failure(.failed), .failure(.failed)): true
        case (.failure(let error), _), (_, .failure(let error)): throw .ledger(error)
        }
    }

    /// Everybody who has a contract, a share of a contract, an order or a language.
    private func users(after last: String) throws(CopyError) -> [String] {
        let limit = "LIMIT \(TableCopy.pageSize)"
        let parts = ["contracts", "shares", "orders", "languages"].map { table in
            """
            SELECT * FROM (
                SELECT DISTINCT "user" FROM \(table) WHERE "user" > ?1 ORDER BY "user" \(limit)
            ) AS \(table)_users
            """
        }
        let sql = parts.joined(separator: " UNION ") + " ORDER BY 1 \(limit)"
        return try source.reading { () throws(EngineError) in
            try source.rows(sql, [.text(last)], as: [.text]).map { $0[0].word }
        }
    }
}

extension UserRecord {
    fileprivate func opensTheSame(as other: UserRecord) -> Bool {
        func access(_ record: UserRecord) -> [Instant?] {
            record.contracts.filter(\.entitlement.isActive).map(\.entitlement.accessUntil)
        }
        return isActive == other.isActive && access(self) == access(other) && orders.count == other.orders.count
    }
}
