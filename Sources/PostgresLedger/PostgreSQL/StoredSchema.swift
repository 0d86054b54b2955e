/// Which version the tables have, and what a program must know to work on them.
///
/// A newer version of Paycast that only adds to the tables lets older nodes go on, and start, until all are replaced. Only
/// when it has changed what they read or write must they drain.
struct StoredSchema {
    /// Zero while there is no ledger.
    let version: Int64
    /// The oldest version that a program may know.
    let oldest: Int64

    static let none = StoredSchema(version: 0, compatibility: "")

    /// `compatibility` is what the row of that name in `meta` says. It counts only for the version that it names: who
    /// migrated without writing it made no promise.
    init(version: Int64, compatibility: String) {
        self.version = version
        let numbers = compatibility.split(separator: " ").map { Int64($0) }
        oldest = numbers.count == 2 && numbers[0] == version ? numbers[1] ?? version : version
    }

    /// Whether a program that knows the tables as they were at `known` may work on them.
    func admits(_ known: Int64) -> Bool { oldest <= known }

    /// Two columns: what `init` takes.
    static let columns = """
        (SELECT CAST(value AS BIGINT) FROM meta WHERE key = 'schema'),
        COALESCE((SELECT value FROM meta WHERE key = 'compatibility'), '')
        """

    init(_ row: PostgresRow) {
        self.init(version: row.integer(0), compatibility: row.text(1))
    }

    /// In the transaction that has brought the tables up to date.
    static func write(_ postgres: PostgresConnection) throws(PostgresError) {
        let newest = PostgresSchema.newest
        try postgres.execute(
            """
            UPDATE meta SET value = '\(newest)' WHERE key = 'schema';
            INSERT INTO meta VALUES ('compatibility', '\(newest) \(PostgresSchema.oldest)')
                ON CONFLICT (key) DO UPDATE SET value = excluded.value
            """
        )
    }
}
