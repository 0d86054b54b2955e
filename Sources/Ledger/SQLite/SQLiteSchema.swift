internal import Domain

/// The tables of a ledger in a file. `user_version` counts the migrations that were applied, and `application_id` says that
/// they were these.
public enum SQLiteSchema {
    static let migrations = [tables]

    public static var newest: Int64 { Int64(migrations.count) }

    /// “Pcst”. Ledgers of commits from before the first release have another one, or none.
    static let application: Int64 = 0x5063_7374

    /// An entry is one committed thing. Its row id is the position that pages resume from; its event and its fragments
    /// share it. Fragments lie in the order of their commits; the index finds those of a stream and target. The empty key
    /// collects fragments that no newer one makes superfluous. Instants are milliseconds.
    ///
    /// The bodies of events and fragments are stored as `StoredBody` says; `headers` are what many events share, by their
    /// SHA-256.
    ///
    /// `tokens`, `claims` and `transfers` decide who owns a contract: the first and the last charge that carried a token; who
    /// posted a genuine transaction while signed in, with the dates of the first and the last claim (null until one was
    /// granted); what a store said about its users. A contract's `user_at` is null when the user follows only from another
    /// contract. A job's `destination` is who is told, so that each finds its own, however many of another's are before
    /// them: no store's name looks like an address. `tombstones` keep erased users from coming back, as digests with the
    /// ledger's own key. `kept_bodies` are older than the retention, but still to be forwarded. `broadcast_keys` are of
    /// broadcasts that are made only once, with a digest of the request and the entries that they made. `audit` says who did
    /// what to a user; rows are added, and an erasure empties `user`.
    ///
    /// What the app's backend is told: one row for each user and address, whose newest version replaces those before it.
    /// `accepted` is the last version that arrived. `due_at` is null unless it is still to be sent, and `queued_at` says since
    /// when the backend has not known the newest state. `hook_addresses` says how each address fares.
    private static let tables = """
        CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

        CREATE TABLE entries (
            position INTEGER PRIMARY KEY AUTOINCREMENT,
            committed_at INTEGER NOT NULL, kind TEXT NOT NULL, provider TEXT, environment TEXT, type TEXT,
            subtype TEXT, event TEXT, outcome TEXT, user TEXT, contract TEXT, order_token TEXT, product TEXT,
            previous_state TEXT, state TEXT, active INTEGER, access_until INTEGER
        ) STRICT;
        CREATE INDEX entries_by_user ON entries (user) WHERE user IS NOT NULL;
        CREATE INDEX entries_unclaimed ON entries (contract, provider, environment)
            WHERE user IS NULL AND contract IS NOT NULL;
        CREATE INDEX entries_unclaimed_by_order ON entries (order_token)
            WHERE user IS NULL AND order_token IS NOT NULL;
        CREATE INDEX entries_in_doubt ON entries (outcome) WHERE outcome IN ('unclaimed', 'quarantined');

        CREATE TABLE contracts (
            id INTEGER PRIMARY KEY,
            provider TEXT NOT NULL, environment TEXT NOT NULL, app TEXT NOT NULL, lineage TEXT NOT NULL,
            kind TEXT NOT NULL, user TEXT, user_at INTEGER, is_family_shared INTEGER NOT NULL,
            product_group TEXT, product_group_at INTEGER, token TEXT, token_at INTEGER,
            account TEXT, account_at INTEGER, store_user TEXT, store_user_at INTEGER,
            previous_lineage TEXT, previous_lineage_at INTEGER,
            snapshot_event TEXT, snapshot_state TEXT, snapshot_product TEXT, snapshot_pending_product TEXT,
            snapshot_auto_renew INTEGER, snapshot_access_until INTEGER, snapshot_signed_at INTEGER,
            snapshot_is_pausing INTEGER,
            charge_event TEXT, charge_id TEXT, charge_product TEXT, charge_purchased_at INTEGER,
            charge_expires_at INTEGER, charge_revoked_at INTEGER, charge_is_upgraded INTEGER, charge_quantity INTEGER,
            charge_price INTEGER, charge_currency TEXT, charge_signed_at INTEGER,
            state TEXT NOT NULL, product TEXT NOT NULL, pending_product TEXT, access_until INTEGER,
            auto_renew INTEGER, is_pausing INTEGER NOT NULL DEFAULT 0, ends_at INTEGER
        ) STRICT;
        CREATE UNIQUE INDEX contracts_by_lineage ON contracts (lineage, provider, environment, app);
        CREATE INDEX contracts_by_user ON contracts (user, kind) WHERE user IS NOT NULL;
        CREATE INDEX contracts_by_end ON contracts (ends_at) WHERE ends_at IS NOT NULL;
        CREATE INDEX contracts_by_account ON contracts (account) WHERE account IS NOT NULL;
        CREATE INDEX contracts_by_previous_lineage ON contracts (previous_lineage) WHERE previous_lineage IS NOT NULL;

        CREATE TABLE headers (digest BLOB PRIMARY KEY, text BLOB NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE events (
            position INTEGER PRIMARY KEY REFERENCES entries,
            provider TEXT NOT NULL, environment TEXT NOT NULL, event TEXT NOT NULL, app TEXT NOT NULL,
            signed_at INTEGER NOT NULL, received_at INTEGER NOT NULL, body BLOB NOT NULL,
            header BLOB REFERENCES headers, contract INTEGER REFERENCES contracts
        ) STRICT;
        CREATE UNIQUE INDEX events_by_id ON events (event, provider, environment);
        CREATE INDEX events_by_contract ON events (contract, position) WHERE contract IS NOT NULL;

        CREATE TABLE fragments (
            stream TEXT NOT NULL, collapse_key TEXT NOT NULL, position INTEGER NOT NULL REFERENCES entries,
            ordinal INTEGER NOT NULL,
            action TEXT NOT NULL, target TEXT, targets TEXT, content TEXT NOT NULL, template TEXT, body BLOB,
            PRIMARY KEY (stream, collapse_key, position, ordinal)
        ) STRICT;
        CREATE INDEX fragments_by_position ON fragments (position);

        CREATE TABLE orders (
            token TEXT PRIMARY KEY, user TEXT NOT NULL, product TEXT NOT NULL, provider TEXT, product_group TEXT,
            kind TEXT, trace TEXT, created_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX orders_by_request ON orders (user, product, provider, product_group, kind, created_at);
        CREATE INDEX orders_by_user ON orders (user, created_at);

        CREATE TABLE tokens (
            contract INTEGER NOT NULL REFERENCES contracts, token TEXT NOT NULL, at INTEGER NOT NULL,
            bought_at INTEGER, PRIMARY KEY (contract, token)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX contracts_by_token ON tokens (token);
        CREATE TABLE claims (
            contract INTEGER NOT NULL REFERENCES contracts, user TEXT NOT NULL,
            first_at INTEGER, first_was_active INTEGER NOT NULL, at INTEGER, was_active INTEGER NOT NULL,
            proof_at INTEGER NOT NULL, PRIMARY KEY (contract, user)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX claims_by_user ON claims (user);
        CREATE TABLE shares (
            user TEXT NOT NULL, contract INTEGER NOT NULL REFERENCES contracts, ordinal INTEGER NOT NULL,
            PRIMARY KEY (user, contract)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX shares_by_contract ON shares (contract, ordinal);
        CREATE TABLE transfers (
            from_user TEXT NOT NULL, provider TEXT NOT NULL, environment TEXT NOT NULL, at INTEGER NOT NULL,
            to_user TEXT NOT NULL, PRIMARY KEY (from_user, provider, environment, at, to_user)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX transfers_by_target ON transfers (to_user);
        CREATE TABLE tombstones (digest TEXT PRIMARY KEY, position INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        CREATE INDEX tombstones_by_position ON tombstones (position);
        CREATE TABLE kept_bodies (position INTEGER PRIMARY KEY) STRICT;
        CREATE TABLE marks (name TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE languages (user TEXT PRIMARY KEY, tag TEXT NOT NULL) STRICT, WITHOUT ROWID;

        CREATE TABLE jobs (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            kind TEXT NOT NULL, provider TEXT NOT NULL, environment TEXT NOT NULL, app TEXT NOT NULL,
            subject TEXT NOT NULL, detail TEXT NOT NULL, deadline INTEGER, position INTEGER REFERENCES entries,
            queued_at INTEGER NOT NULL, attempts INTEGER NOT NULL, due_at INTEGER, reason TEXT, abandoned_at INTEGER,
            destination TEXT AS (CASE kind WHEN 'forward' THEN subject ELSE provider END) VIRTUAL
        ) STRICT;
        CREATE UNIQUE INDEX jobs_by_subject ON jobs (subject, kind, provider, detail);
        CREATE INDEX jobs_by_time ON jobs (due_at);
        CREATE INDEX jobs_by_deadline ON jobs (deadline) WHERE due_at IS NOT NULL;
        CREATE INDEX jobs_by_abandonment ON jobs (abandoned_at) WHERE abandoned_at IS NOT NULL;
        CREATE INDEX jobs_by_position ON jobs (position) WHERE position IS NOT NULL;
        CREATE INDEX jobs_by_destination ON jobs (destination, due_at) WHERE due_at IS NOT NULL;

        CREATE TABLE broadcast_keys (
            id INTEGER PRIMARY KEY,
            key TEXT NOT NULL, request TEXT NOT NULL, position INTEGER NOT NULL, count INTEGER NOT NULL,
            at INTEGER NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX broadcast_keys_by_key ON broadcast_keys (key);
        CREATE INDEX broadcast_keys_by_time ON broadcast_keys (at);

        CREATE TABLE audit (
            id INTEGER PRIMARY KEY,
            at INTEGER NOT NULL, action TEXT NOT NULL, actor TEXT NOT NULL, system_user TEXT, user TEXT, reason TEXT,
            request TEXT
        ) STRICT;
        CREATE INDEX audit_by_user ON audit (user) WHERE user IS NOT NULL;
        CREATE INDEX audit_by_actor ON audit (actor);

        CREATE TABLE hook_deliveries (
            id INTEGER PRIMARY KEY,
            address TEXT NOT NULL, user TEXT NOT NULL, type TEXT NOT NULL, state TEXT NOT NULL,
            position INTEGER NOT NULL, version INTEGER NOT NULL, accepted INTEGER NOT NULL,
            queued_at INTEGER NOT NULL, attempts INTEGER NOT NULL, due_at INTEGER, reason TEXT, ended_at INTEGER
        ) STRICT;
        CREATE UNIQUE INDEX hook_deliveries_by_user ON hook_deliveries (user, address, type);
        CREATE INDEX hook_deliveries_by_age ON hook_deliveries (address, queued_at) WHERE due_at IS NOT NULL;
        CREATE INDEX hook_deliveries_by_state ON hook_deliveries (state, id);
        CREATE INDEX hook_deliveries_by_end ON hook_deliveries (ended_at) WHERE ended_at IS NOT NULL;
        CREATE TABLE hook_addresses (
            address TEXT PRIMARY KEY, accepted_at INTEGER, failures INTEGER NOT NULL, failing_since INTEGER,
            gone_at INTEGER, reason TEXT
        ) STRICT, WITHOUT ROWID;
        """

    /// Brings a ledger up to date. Throws for one that this version does not know, and for half of a copy unless it is
    /// `forCopy`.
    static func migrate(_ connection: SQLiteConnection, forCopy: Bool = false) throws(LedgerError) {
        let refused: LedgerError?
        do throws(EngineError) {
            // Takes the lock first, because two processes may start on one new file.
            try connection.execute("BEGIN IMMEDIATE")
            refused = try refusal(connection, forCopy: forCopy)
            if refused == nil { try advance(connection) }
        } catch {
            throw LedgerError(error)
        }
        if let refused { throw refused }
    }

    /// Why this version cannot work on the ledger of a connection; nil if it can, once it has been brought up to date.
    public static func refusal(_ connection: SQLiteConnection, forCopy: Bool = false) throws(EngineError)
        -> LedgerError?
    {
        let found = refusal(
            version: try number("PRAGMA user_version", connection),
            application: try number("PRAGMA application_id", connection)
        )
        if let found { return found }
        guard !forCopy, try isUnfinishedCopy(connection) else { return nil }
        return .unfinishedCopy
    }

    /// The same, from the numbers in the file's header.
    static func refusal(version: Int64, application: Int64) -> LedgerError? {
        guard version != 0 else { return nil }
        guard version > 0, application == SQLiteSchema.application else { return .unreleasedSchema }
        return version > newest ? .newerSchema(found: version, supported: newest) : nil
    }

    /// Whether another ledger is being copied into this one.
    public static func isUnfinishedCopy(_ connection: SQLiteConnection) throws(EngineError) -> Bool {
        try connection.prepare("SELECT 1 FROM sqlite_schema WHERE name = ?").first([.text(UnfinishedCopy.table)]) { _ in
            true
        } ?? false
    }

    private static func advance(_ connection: SQLiteConnection) throws(EngineError) {
        let version = try number("PRAGMA user_version", connection)
        for migration in migrations.dropFirst(Int(version)) { try connection.execute(migration) }
        if version == 0 {
            try connection.prepare("INSERT INTO meta VALUES ('epoch', ?), ('unclaimed', '0'), ('erasure_key', ?)")
                .run([.text(Cursor.newEpoch()), .text(ErasureKey.random())])
        }
        try connection.execute("PRAGMA application_id = \(application); PRAGMA user_version = \(newest); COMMIT")
    }

    private static func number(_ pragma: String, _ connection: SQLiteConnection) throws(EngineError) -> Int64 {
        try connection.prepare(pragma).first { row in row.integer(0) } ?? 0
    }
}
