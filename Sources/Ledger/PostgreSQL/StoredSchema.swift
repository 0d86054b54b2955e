/// Which version the tables have, and what a program must know to work on them.
///
/// A newer version of Paycast that only adds to the tables lets older nodes go on, and start, until all are replaced. Only
/// when it has changed what they read or write must they drain.
struct StoredSchema: Equatable {
    /// Zero while there is no ledger.
    var version: Int64
    /// The oldest version that a program may know.
    var oldest: Int64

    static let none = StoredSchema(version: 0, oldest: 0)
    /// Tables whose row in `meta` is missing or unreadable.
    static let unreleased = StoredSchema(version: -1, oldest: -1)

    /// Whether a program that knows the tables as they were at `known` may work on them.
    func admits(_ known: Int64) -> Bool { version >= 0 && oldest <= known }

    /// Why this program may not work on them; nil if it may.
    var refusal: LedgerError? {
        if version < 0 { return .unreleasedSchema }
        return admits(PostgresSchema.newest) ? nil : .newerSchema(found: version, supported: PostgresSchema.newest)
    }

    /// One column.
    static let query = "SELECT COALESCE((SELECT value FROM meta WHERE key = 'schema_version'), '')"

    /// In the transaction that runs.
    static func read(_ postgres: PostgresConnection, schema: String) throws(EngineError) -> StoredSchema {
        let place = postgres.prepare("SELECT CAST(to_regclass(?) AS TEXT)")
        guard try place.first([.text(schema + ".meta")], read: { row in !row.isNull(0) }) == true else { return .none }
        return try postgres.prepare(query).first { row in StoredSchema(row.text(0)) } ?? .unreleased
    }

    /// In the transaction that has brought the tables up to date.
    func write(_ postgres: PostgresConnection) throws(EngineError) {
        try postgres.execute(
            """
            INSERT INTO meta VALUES ('schema_version', '\(version) \(oldest)')
                ON CONFLICT (key) DO UPDATE SET value = excluded.value
            """
        )
    }
}

extension StoredSchema {
    /// `text` is what the row says. Ledgers of commits from before the first release have none.
    init(_ text: String) {
        let numbers = text.split(separator: " ").map { Int64($0) }
        guard numbers.count == 2, let version = numbers[0], let oldest = numbers[1] else {
            self = .unreleased
            return
        }
        self.init(version: version, oldest: oldest)
    }
}
