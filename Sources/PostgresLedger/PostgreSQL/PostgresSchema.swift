import Domain
import Glibc
public import Ledger

/// One step from a version of the tables to the next.
struct PostgresMigration {
    var sql: String
    /// After this step, a program must know the tables as they were at this version or later; nil means this very step. Zero
    /// is for a step that leaves alone what older programs read and write: they may go on, and start.
    var admits: Int64?
}

/// The tables in PostgreSQL, as numbered migrations, in a schema of their own: the database may be the app's, with
/// tables of the same names. Texts compare as bytes (`COLLATE "C"`), as SQLite's do, and flags are numbers.
public enum PostgresSchema {
    static let migrations = [PostgresMigration(sql: tables + "\n" + PartitionedTables.tables)]

    public static var newest: Int64 { Int64(migrations.count) }

    /// The oldest version that a program must know to work on the newest tables.
    static var oldest: Int64 { oldest(of: migrations) }

    static func oldest(of migrations: [PostgresMigration]) -> Int64 {
        migrations.enumerated().map { index, step in step.admits ?? Int64(index + 1) }.max() ?? 0
    }

    /// The number of the advisory lock that whoever migrates, opens or begins to copy into a ledger holds until its
    /// transaction ends.
    public static let openingLock: Int64 = 7_165_929

    static let halfOfACopy = EngineError.ofTheLedger("it is half of a copy", advice: UnfinishedCopy.advice)

    /// Brings a ledger up to date. Any number of nodes may call it at once. Leaves what a newer version has added. Throws
    /// for tables that this version does not know, and for half of a copy unless it is `forCopy`. `size` is how many
    /// positions a partition has.
    public static func migrate(
        _ postgres: PostgresConnection,
        schema: String,
        size: Int64 = PostgresEngine.usualPartitionSize,
        forCopy: Bool = false
    ) throws(EngineError) {
        let refused = try locked(postgres, schema: schema) { () throws(PostgresError) -> EngineError? in
            let found = try StoredSchema.read(postgres, schema: schema)
            if let refusal = found.refusal { return .ofTheLedger(refusal) }
            if !forCopy, try hasCopyRecord(postgres, schema: schema) { return halfOfACopy }
            if found.version <= newest { try advance(postgres, from: found.version, schema: schema, size: size) }
            return nil
        }
        if let refused { throw refused }
    }

    /// Whether another ledger is being copied into this one.
    public static func isUnfinishedCopy(_ postgres: PostgresConnection, schema: String) throws(EngineError) -> Bool {
        try engine { () throws(PostgresError) in try hasCopyRecord(postgres, schema: schema) }
    }

    static func hasCopyRecord(_ postgres: PostgresConnection, schema: String) throws(PostgresError) -> Bool {
        try hasTable(postgres, "\(schema).\(UnfinishedCopy.table)")
    }

    static func hasTable(_ postgres: PostgresConnection, _ name: String) throws(PostgresError) -> Bool {
        try postgres.prepare("SELECT to_regclass(?) IS NOT NULL").first([.text(name)]) { $0.integer(0) == 1 } ?? false
    }

    private static func advance(
        _ postgres: PostgresConnection,
        from found: Int64,
        schema: String,
        size: Int64
    ) throws(PostgresError) {
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
        _ body: () throws(PostgresError) -> Value
    ) throws(EngineError) -> Value {
        let deadline = ContinuousClock.now + patience
        while true {
            do throws(PostgresError) {
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
                guard error.kind == .retry, ContinuousClock.now < deadline else { throw EngineError(error) }
                usleep(500_000)
            }
        }
    }

    /// `head` is one row, which each batch locks until its commit is visible: so positions have no holes and are in the
    /// order of commits. `writers` says which batch of each node was committed last, for a node that lost its connection
    /// during a COMMIT. Both are updated in place (no index on what changes, and room on the page).
    /// A lease's number tells its holder from the one before, who may still be writing. The other tables are SQLite's;
    /// those that grow with every commit are in `PartitionedTables`.
    private static let tables = """
        CREATE TABLE meta (key TEXT COLLATE "C" PRIMARY KEY, value TEXT NOT NULL);
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

        CREATE TABLE contracts (
            id BIGINT PRIMARY KEY,
            provider TEXT COLLATE "C" NOT NULL, environment TEXT COLLATE "C" NOT NULL, app TEXT COLLATE "C" NOT NULL,
            lineage TEXT COLLATE "C" NOT NULL, kind TEXT COLLATE "C" NOT NULL,
            "user" TEXT COLLATE "C", user_at BIGINT, is_family_shared BIGINT NOT NULL,
            product_group TEXT, product_group_at BIGINT, token TEXT, token_at BIGINT,
            account TEXT COLLATE "C", account_at BIGINT, store_user TEXT COLLATE "C", store_user_at BIGINT,
            previous_lineage TEXT COLLATE "C", previous_lineage_at BIGINT,
            snapshot_event TEXT, snapshot_state TEXT, snapshot_product TEXT, snapshot_pending_product TEXT,
            snapshot_auto_renew BIGINT, snapshot_access_until BIGINT, snapshot_signed_at BIGINT,
            snapshot_is_pausing BIGINT,
            charge_event TEXT, charge_id TEXT, charge_product TEXT, charge_purchased_at BIGINT,
            charge_expires_at BIGINT, charge_revoked_at BIGINT, charge_is_upgraded BIGINT, charge_quantity BIGINT,
            charge_price BIGINT, charge_currency TEXT, charge_signed_at BIGINT,
            state TEXT NOT NULL, product TEXT NOT NULL, pending_product TEXT, access_until BIGINT,
            auto_renew BIGINT, is_pausing BIGINT NOT NULL DEFAULT 0, ends_at BIGINT
        ) WITH (fillfactor = 80);
        CREATE UNIQUE INDEX contracts_by_lineage ON contracts (lineage, provider, environment, app);
        CREATE INDEX contracts_by_user ON contracts ("user", kind, id) WHERE "user" IS NOT NULL;
        CREATE INDEX contracts_by_end ON contracts (ends_at, id) WHERE ends_at IS NOT NULL;
        CREATE INDEX contracts_by_account ON contracts (account, id) WHERE account IS NOT NULL;
        CREATE INDEX contracts_by_previous_lineage ON contracts (previous_lineage, id)
            WHERE previous_lineage IS NOT NULL;

        CREATE TABLE orders (
            token TEXT COLLATE "C" PRIMARY KEY, "user" TEXT COLLATE "C" NOT NULL, product TEXT COLLATE "C" NOT NULL,
            provider TEXT COLLATE "C", product_group TEXT COLLATE "C", kind TEXT COLLATE "C", trace TEXT COLLATE "C",
            created_at BIGINT NOT NULL
        );
        CREATE INDEX orders_by_request ON orders ("user", product, created_at, token);
        CREATE INDEX orders_by_user ON orders ("user", created_at, token);

        CREATE TABLE tokens (
            contract BIGINT NOT NULL REFERENCES contracts, token TEXT COLLATE "C" NOT NULL, at BIGINT NOT NULL,
            bought_at BIGINT, PRIMARY KEY (contract, token)
        );
        CREATE INDEX contracts_by_token ON tokens (token);
        CREATE TABLE claims (
            contract BIGINT NOT NULL REFERENCES contracts, "user" TEXT COLLATE "C" NOT NULL,
            first_at BIGINT, first_was_active BIGINT NOT NULL, at BIGINT, was_active BIGINT NOT NULL,
            proof_at BIGINT NOT NULL, PRIMARY KEY (contract, "user")
        );
        CREATE INDEX claims_by_user ON claims ("user");
        CREATE TABLE shares (
            "user" TEXT COLLATE "C" NOT NULL, contract BIGINT NOT NULL REFERENCES contracts, ordinal BIGINT NOT NULL,
            PRIMARY KEY ("user", contract)
        );
        CREATE INDEX shares_by_contract ON shares (contract, ordinal);
        CREATE TABLE transfers (
            from_user TEXT COLLATE "C" NOT NULL, provider TEXT COLLATE "C" NOT NULL,
            environment TEXT COLLATE "C" NOT NULL, at BIGINT NOT NULL, to_user TEXT COLLATE "C" NOT NULL,
            PRIMARY KEY (from_user, provider, environment, at, to_user)
        );
        CREATE INDEX transfers_by_target ON transfers (to_user);
        CREATE TABLE tombstones (digest TEXT COLLATE "C" PRIMARY KEY, position BIGINT NOT NULL);
        CREATE INDEX tombstones_by_position ON tombstones (position);
        CREATE TABLE headers (digest BYTEA PRIMARY KEY, text BYTEA NOT NULL);
        CREATE TABLE kept_bodies (position BIGINT PRIMARY KEY);
        CREATE TABLE marks (name TEXT COLLATE "C" PRIMARY KEY, at BIGINT NOT NULL);
        CREATE TABLE languages ("user" TEXT COLLATE "C" PRIMARY KEY, tag TEXT NOT NULL);

        CREATE TABLE jobs (
            id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
            kind TEXT COLLATE "C" NOT NULL, provider TEXT COLLATE "C" NOT NULL, environment TEXT NOT NULL,
            app TEXT NOT NULL, subject TEXT COLLATE "C" NOT NULL, detail TEXT COLLATE "C" NOT NULL, deadline BIGINT,
            position BIGINT, queued_at BIGINT NOT NULL, attempts BIGINT NOT NULL, due_at BIGINT,
            reason TEXT, abandoned_at BIGINT,
            destination TEXT COLLATE "C"
                GENERATED ALWAYS AS (CASE kind WHEN 'forward' THEN subject ELSE provider END) STORED
        );
        CREATE UNIQUE INDEX jobs_by_subject ON jobs (subject, kind, provider, detail);
        CREATE INDEX jobs_by_time ON jobs (due_at);
        CREATE INDEX jobs_by_deadline ON jobs (deadline) WHERE due_at IS NOT NULL;
        CREATE INDEX jobs_by_abandonment ON jobs (abandoned_at) WHERE abandoned_at IS NOT NULL;
        CREATE INDEX jobs_by_position ON jobs (position) WHERE position IS NOT NULL;
        CREATE INDEX jobs_by_destination ON jobs (destination, due_at, id) WHERE due_at IS NOT NULL;

        CREATE TABLE broadcast_keys (
            id BIGINT PRIMARY KEY,
            key TEXT COLLATE "C" NOT NULL, request TEXT NOT NULL, position BIGINT NOT NULL, count BIGINT NOT NULL,
            at BIGINT NOT NULL
        );
        CREATE UNIQUE INDEX broadcast_keys_by_key ON broadcast_keys (key);
        CREATE INDEX broadcast_keys_by_time ON broadcast_keys (at, id);

        CREATE TABLE audit (
            id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
            at BIGINT NOT NULL, action TEXT NOT NULL, actor TEXT COLLATE "C" NOT NULL, system_user TEXT,
            "user" TEXT COLLATE "C", reason TEXT, request TEXT
        );
        CREATE INDEX audit_by_user ON audit ("user", id) WHERE "user" IS NOT NULL;
        CREATE INDEX audit_by_actor ON audit (actor, id);

        CREATE TABLE hook_deliveries (
            id BIGINT PRIMARY KEY,
            address TEXT COLLATE "C" NOT NULL, "user" TEXT COLLATE "C" NOT NULL, type TEXT COLLATE "C" NOT NULL,
            state TEXT COLLATE "C" NOT NULL,
            position BIGINT NOT NULL, version BIGINT NOT NULL, accepted BIGINT NOT NULL,
            queued_at BIGINT NOT NULL, attempts BIGINT NOT NULL, due_at BIGINT, reason TEXT, ended_at BIGINT
        );
        CREATE UNIQUE INDEX hook_deliveries_by_user ON hook_deliveries ("user", address, type);
        CREATE INDEX hook_deliveries_by_age ON hook_deliveries (address, queued_at, id) WHERE due_at IS NOT NULL;
        CREATE INDEX hook_deliveries_by_state ON hook_deliveries (state, id);
        CREATE INDEX hook_deliveries_by_end ON hook_deliveries (ended_at, id) WHERE ended_at IS NOT NULL;
        CREATE TABLE hook_addresses (
            address TEXT COLLATE "C" PRIMARY KEY, accepted_at BIGINT, failures BIGINT NOT NULL, failing_since BIGINT,
            gone_at BIGINT, reason TEXT
        );
        """
}
