import Domain
import Glibc

/// One step from a version of the tables to the next.
struct PostgresMigration {
    var sql: String
    /// After this step, a program must know the tables as they were at this version or later; nil means this very step. Zero
    /// is for a step that leaves alone what older programs read and write: they may go on, and start.
    var admits: Int64?
}

/// The tables in PostgreSQL, as numbered migrations, in a schema of their own: the database may be the app's, with
/// tables of the same names. Texts compare as bytes (`COLLATE "C"`), as SQLite's do, and flags are numbers.
enum PostgresSchema {
    static let migrations = [
        PostgresMigration(sql: LedgerTables.sql(isShared: true) + "\n" + tables + "\n" + PartitionedTables.tables),
        // What each node tells the others of itself.
        PostgresMigration(
            sql: """
                ALTER TABLE nodes ADD COLUMN settings TEXT NOT NULL DEFAULT '', ADD COLUMN is_home BIGINT NOT NULL DEFAULT 0
                """,
            admits: 0
        ),
        PostgresMigration(sql: LedgerTables.second(isShared: true)),
        PostgresMigration(sql: LedgerTables.third(isShared: true)),
    ]

    static var newest: Int64 { Int64(migrations.count) }

    /// The oldest version that a program must know to work on the newest tables.
    static var oldest: Int64 { oldest(of: migrations) }

    static func oldest(of migrations: [PostgresMigration]) -> Int64 {
        migrations.enumerated().map { index, step in step.admits ?? Int64(index + 1) }.max() ?? 0
    }

    /// The number of the advisory lock that whoever migrates, opens or begins to copy into a ledger holds until its
    /// transaction ends.
    static let openingLock: Int64 = 7_165_929

    /// Throws if some text of a store would not fit: it would be refused whenever the store sends it, and the purchase lost.
    static func checkEncoding(_ postgres: PostgresConnection) throws(EngineError) {
        let encoding = try postgres.prepare("SELECT current_setting('server_encoding')").first { row in row.text(0) }
        guard let encoding, encoding != "UTF8" else { return }
        throw .ofTheLedger(
            "its encoding is \(encoding)",
            advice: "its encoding is \(encoding), in which not every text of a store can be kept: make a database with "
                + "“createdb --encoding=UTF8 --locale=C --template=template0 NAME”, and name that one; “paycast copy --from "
                + "URL --to URL” takes a ledger along"
        )
    }

    static let halfOfACopy = EngineError.ofTheLedger("it is half of a copy", advice: UnfinishedCopy.advice)

    /// Brings a ledger up to date. Any number of nodes may call it at once. Leaves what a newer version has added. Throws
    /// for a database that cannot keep every text, for tables that this version does not know, and for half of a copy
    /// unless it is `forCopy`. `size` is how many
    /// positions a partition has.
    static func migrate(
        _ postgres: PostgresConnection,
        schema: String,
        size: Int64 = PostgresEngine.usualPartitionSize,
        forCopy: Bool = false
    ) throws(EngineError) {
        try locked(postgres, schema: schema) { () throws(EngineError) in
            try checkEncoding(postgres)
            let found = try StoredSchema.read(postgres, schema: schema)
            if let refusal = found.refusal { throw .ofTheLedger(refusal) }
            if !forCopy, try hasCopyRecord(postgres, schema: schema) { throw halfOfACopy }
            if found.version <= newest { try advance(postgres, from: found.version, schema: schema, size: size) }
        }
    }

    /// Whether another ledger is being copied into this one.
    static func hasCopyRecord(_ postgres: PostgresConnection, schema: String) throws(EngineError) -> Bool {
        try hasTable(postgres, "\(schema).\(UnfinishedCopy.table)")
    }

    static func hasTable(_ postgres: PostgresConnection, _ name: String) throws(EngineError) -> Bool {
        try postgres.prepare("SELECT to_regclass(?) IS NOT NULL").first([.text(name)]) { $0.integer(0) == 1 } ?? false
    }

    private static func advance(
        _ postgres: PostgresConnection,
        from found: Int64,
        schema: String,
        size: Int64
    ) throws(EngineError) {
        if found == 0 {
            // A user without the right to create anything may run a server once somebody else has migrated.
            try postgres.execute("CREATE SCHEMA IF NOT EXISTS \(schema)")
        } else if found < newest {
            // Whoever writes holds it first: so nobody waits for both this and a table.
            try postgres.execute("SELECT position FROM head FOR UPDATE")
        }
        for migration in migrations.dropFirst(Int(found)) { try postgres.execute(migration.sql) }
        if found == 0 {
            try postgres.prepare("INSERT INTO head VALUES (0, ?)").run([.text(Cursor.newEpoch())])
            try postgres.prepare("INSERT INTO meta VALUES ('unclaimed', '0'), ('erasure_key', ?)")
                .run([.text(ErasureKey.random())])
            try postgres.execute("SELECT reserve_positions(\(size))")
        }
        try StoredSchema(version: newest, oldest: oldest).write(postgres)
        try postgres.execute(
            """
            WITH gone AS (
                DELETE FROM nodes WHERE seen_at < clock_timestamp() - interval '1 day' RETURNING node
            )
            DELETE FROM writers USING gone WHERE writers.node = gone.node
            """
        )
    }

    /// How long nobody lets go of a table until that is an error.
    private static let patience = Duration.seconds(600)

    /// Runs a transaction that excludes all other openings, one node after the other: the lock ends with it. Runs it again
    /// while somebody holds a table: whoever comes behind waits only as long as `lock_timeout`.
    static func locked<Value>(
        _ postgres: PostgresConnection,
        schema: String,
        _ body: () throws(EngineError) -> Value
    ) throws(EngineError) -> Value {
        let deadline = ContinuousClock.now + patience
        while true {
            do throws(EngineError) {
                try postgres.begin()
                try postgres.execute(
                    """
                    SET LOCAL search_path = \(schema), pg_temp; SET LOCAL lock_timeout = 0;
                    SELECT pg_advisory_xact_lock(\(openingLock));
                    SET LOCAL lock_timeout = '2s'
                    """
                )
                let value = try body()
                try postgres.commit()
                return value
            } catch {
                postgres.rollback()
                guard error.isBusy, ContinuousClock.now < deadline else { throw error }
                usleep(500_000)
            }
        }
    }

    /// `head` is one row, which each batch locks until its commit is visible: so positions have no holes and are in the
    /// order of commits. `writers` says which batch of each node was committed last, for a node that lost its connection
    /// during a COMMIT. Both are updated in place (no index on what changes, and room on the page).
    /// A lease's number tells its holder from the one before, who may still be writing.
    private static let tables = """
        CREATE TABLE head (position BIGINT NOT NULL, epoch TEXT COLLATE "C" NOT NULL) WITH (fillfactor = 10);
        CREATE TABLE writers (node TEXT COLLATE "C" PRIMARY KEY, batch BIGINT NOT NULL) WITH (fillfactor = 50);

        CREATE TABLE nodes (
            node TEXT COLLATE "C" PRIMARY KEY, version TEXT NOT NULL, started_at TIMESTAMPTZ NOT NULL,
            seen_at TIMESTAMPTZ NOT NULL
        ) WITH (fillfactor = 50);
        CREATE TABLE leases (
            name TEXT COLLATE "C" PRIMARY KEY, node TEXT COLLATE "C" NOT NULL, ends_at TIMESTAMPTZ NOT NULL,
            number BIGINT NOT NULL
        ) WITH (fillfactor = 50);
        """
}
