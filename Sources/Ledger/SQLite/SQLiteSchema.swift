internal import Domain

/// The tables, as numbered migrations: `user_version` counts those that were applied.
public enum SQLiteSchema {
    static let migrations = [first, second, third, fourth, fifth, sixth, seventh, eighth, ninth, tenth, eleventh]

    public static var newest: Int64 { Int64(migrations.count) }

    /// An entry is one committed thing. Its row id is the position that pages resume from; its event and its fragments
    /// share it. Fragments are stored beside the others of their stream and target, so that what a page missed lies
    /// together and a commit dirties one leaf. The empty key collects fragments that no newer one makes superfluous.
    /// Instants are milliseconds.
    private static let first = """
        CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

        CREATE TABLE entries (
            position INTEGER PRIMARY KEY AUTOINCREMENT,
            committed_at INTEGER NOT NULL, kind TEXT NOT NULL, provider TEXT, environment TEXT, type TEXT,
            subtype TEXT, event TEXT, outcome TEXT, user TEXT, contract TEXT, order_token TEXT, product TEXT,
            previous_state TEXT, state TEXT, active INTEGER, access_until INTEGER
        ) STRICT;

        CREATE TABLE events (
            position INTEGER PRIMARY KEY REFERENCES entries,
            provider TEXT NOT NULL, environment TEXT NOT NULL, event TEXT NOT NULL, app TEXT NOT NULL,
            signed_at INTEGER NOT NULL, received_at INTEGER NOT NULL, body BLOB NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX events_by_id ON events (event, provider, environment);

        CREATE TABLE fragments (
            stream TEXT NOT NULL, collapse_key TEXT NOT NULL, position INTEGER NOT NULL REFERENCES entries,
            ordinal INTEGER NOT NULL,
            action TEXT NOT NULL, target TEXT, targets TEXT, content TEXT NOT NULL, template TEXT, body TEXT,
            PRIMARY KEY (stream, collapse_key, position, ordinal)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX fragments_by_position ON fragments (position);

        CREATE TABLE orders (
            token TEXT PRIMARY KEY, user TEXT NOT NULL, product TEXT NOT NULL, provider TEXT, product_group TEXT,
            kind TEXT, created_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX orders_by_request ON orders (user, product, provider, product_group, kind, created_at);

        CREATE TABLE contracts (
            id INTEGER PRIMARY KEY,
            provider TEXT NOT NULL, environment TEXT NOT NULL, app TEXT NOT NULL, lineage TEXT NOT NULL,
            kind TEXT NOT NULL, user TEXT, is_family_shared INTEGER NOT NULL,
            product_group TEXT, product_group_at INTEGER, token TEXT, token_at INTEGER,
            app_transaction TEXT, app_transaction_at INTEGER, previous_lineage TEXT, previous_lineage_at INTEGER,
            snapshot_event TEXT, snapshot_state TEXT, snapshot_product TEXT, snapshot_pending_product TEXT,
            snapshot_auto_renew INTEGER, snapshot_access_until INTEGER, snapshot_signed_at INTEGER,
            charge_event TEXT, charge_id TEXT, charge_product TEXT, charge_purchased_at INTEGER,
            charge_expires_at INTEGER, charge_revoked_at INTEGER, charge_is_upgraded INTEGER, charge_quantity INTEGER,
            charge_price INTEGER, charge_currency TEXT, charge_signed_at INTEGER,
            state TEXT NOT NULL, product TEXT NOT NULL, pending_product TEXT, access_until INTEGER,
            auto_renew INTEGER, ends_at INTEGER
        ) STRICT;
        CREATE UNIQUE INDEX contracts_by_lineage ON contracts (lineage, provider, environment, app);
        CREATE INDEX contracts_by_user ON contracts (user, kind) WHERE user IS NOT NULL;
        CREATE INDEX contracts_by_end ON contracts (ends_at) WHERE ends_at IS NOT NULL;
        CREATE INDEX contracts_by_app_transaction ON contracts (app_transaction) WHERE app_transaction IS NOT NULL;
        CREATE INDEX waiting_by_token ON contracts (token) WHERE user IS NULL AND token IS NOT NULL;
        CREATE INDEX waiting_by_lineage ON contracts (previous_lineage)
            WHERE user IS NULL AND previous_lineage IS NOT NULL;
        """

    /// Facts that decide who owns a contract. `tokens` dates the first charge that carried each token. `claims` says
    /// who posted a genuine transaction while signed in, with the dates of the first and the last claim (null until one
    /// was granted). `transfers` is what a store said about its users. `user_at` is null when the user follows only
    /// from another contract. `errands` is what stores are still to be told. Users of older ledgers stay: theirs is the
    /// oldest claim.
    private static let second = """
        ALTER TABLE contracts RENAME COLUMN app_transaction TO account;
        ALTER TABLE contracts RENAME COLUMN app_transaction_at TO account_at;
        ALTER TABLE contracts ADD COLUMN store_user TEXT;
        ALTER TABLE contracts ADD COLUMN store_user_at INTEGER;
        ALTER TABLE contracts ADD COLUMN user_at INTEGER;
        ALTER TABLE contracts ADD COLUMN snapshot_is_pausing INTEGER;
        ALTER TABLE contracts ADD COLUMN is_pausing INTEGER NOT NULL DEFAULT 0;
        DROP INDEX contracts_by_app_transaction;
        DROP INDEX waiting_by_token;
        DROP INDEX waiting_by_lineage;
        CREATE INDEX contracts_by_account ON contracts (account) WHERE account IS NOT NULL;
        CREATE INDEX contracts_by_previous_lineage ON contracts (previous_lineage) WHERE previous_lineage IS NOT NULL;

        CREATE TABLE tokens (
            contract INTEGER NOT NULL REFERENCES contracts, token TEXT NOT NULL, at INTEGER NOT NULL,
            PRIMARY KEY (contract, token)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX contracts_by_token ON tokens (token);
        INSERT INTO tokens SELECT id, token, token_at FROM contracts WHERE token IS NOT NULL;

        CREATE TABLE claims (
            contract INTEGER NOT NULL REFERENCES contracts, user TEXT NOT NULL,
            first_at INTEGER, first_was_active INTEGER NOT NULL, at INTEGER, was_active INTEGER NOT NULL,
            proof_at INTEGER NOT NULL,
            PRIMARY KEY (contract, user)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO claims SELECT id, user, 0, 0, 0, 0, 0 FROM contracts WHERE user IS NOT NULL;
        UPDATE contracts SET user_at = 0 WHERE user IS NOT NULL;

        CREATE TABLE shares (
            user TEXT NOT NULL, contract INTEGER NOT NULL REFERENCES contracts, ordinal INTEGER NOT NULL,
            PRIMARY KEY (user, contract)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX shares_by_contract ON shares (contract, ordinal);

        CREATE TABLE transfers (
            from_user TEXT NOT NULL, provider TEXT NOT NULL, environment TEXT NOT NULL, at INTEGER NOT NULL,
            to_user TEXT NOT NULL,
            PRIMARY KEY (from_user, provider, environment, at, to_user)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE marks (name TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;

        CREATE TABLE errands (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            kind TEXT NOT NULL, provider TEXT NOT NULL, environment TEXT NOT NULL, app TEXT NOT NULL,
            subject TEXT NOT NULL, detail TEXT NOT NULL, deadline INTEGER, position INTEGER REFERENCES entries,
            queued_at INTEGER NOT NULL, attempts INTEGER NOT NULL, due_at INTEGER, reason TEXT
        ) STRICT;
        CREATE UNIQUE INDEX errands_by_subject ON errands (subject, kind, provider, detail);
        CREATE INDEX errands_by_time ON errands (due_at);
        CREATE INDEX errands_by_deadline ON errands (deadline) WHERE due_at IS NOT NULL;

        ALTER TABLE events ADD COLUMN contract INTEGER REFERENCES contracts;
        UPDATE events SET contract = (
            SELECT contracts.id FROM entries JOIN contracts
                ON contracts.lineage = entries.contract AND contracts.provider = events.provider
                AND contracts.environment = events.environment AND contracts.app = events.app
            WHERE entries.position = events.position AND entries.outcome IS NOT 'quarantined'
        );
        CREATE INDEX events_by_contract ON events (contract, position) WHERE contract IS NOT NULL;
        """

    /// When an errand was abandoned, so that it can be forgotten. For older errands this is not known.
    private static let third = """
        ALTER TABLE errands ADD COLUMN abandoned_at INTEGER;
        UPDATE errands SET abandoned_at = queued_at WHERE due_at IS NULL;
        CREATE INDEX errands_by_abandonment ON errands (abandoned_at) WHERE abandoned_at IS NOT NULL;
        """

    /// Entries about one user, for the feed: without this index, a million entries are read for ten.
    private static let fourth = """
        CREATE INDEX IF NOT EXISTS entries_by_user ON entries (user) WHERE user IS NOT NULL;
        """

    /// The date of the last charge that was bought with a token: when two buyers use one store account, the first may
    /// come back after the second. `at` dates the first charge that carried the token. For older tokens the new date is
    /// not known; a replay of their events finds it.
    private static let fifth = "ALTER TABLE tokens ADD COLUMN bought_at INTEGER;"

    /// Who is told. With it, each destination finds its own errands, however many of another's are before them. No
    /// store's name looks like an address.
    private static let sixth = """
        ALTER TABLE errands ADD COLUMN destination TEXT
            AS (CASE kind WHEN 'forward' THEN subject ELSE provider END) VIRTUAL;
        CREATE INDEX errands_by_destination ON errands (destination, due_at) WHERE due_at IS NOT NULL;
        """

    /// Broadcasts that are made only once: their key, a digest of the request, and the entries that they made. The
    /// indexes find what was said about a user before the user was known, by the contract or by an order that it may
    /// contradict, and a user's newest orders.
    private static let seventh = """
        CREATE INDEX entries_unclaimed ON entries (contract, provider, environment)
            WHERE user IS NULL AND contract IS NOT NULL;
        CREATE INDEX entries_unclaimed_by_order ON entries (order_token)
            WHERE user IS NULL AND order_token IS NOT NULL;
        CREATE INDEX orders_by_user ON orders (user, created_at);
        CREATE TABLE broadcast_keys (
            id INTEGER PRIMARY KEY,
            key TEXT NOT NULL, request TEXT NOT NULL, position INTEGER NOT NULL, count INTEGER NOT NULL,
            at INTEGER NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX broadcast_keys_by_key ON broadcast_keys (key);
        CREATE INDEX broadcast_keys_by_time ON broadcast_keys (at);
        """

    /// The language that each user reads, as the app last said. Nothing else refers to it.
    private static let eighth =
        "CREATE TABLE languages (user TEXT PRIMARY KEY, tag TEXT NOT NULL) STRICT, WITHOUT ROWID;"

    /// Renames `errands` to `jobs`, with its indexes. Earlier migrations still say errands.
    private static let ninth = """
        ALTER TABLE errands RENAME TO jobs;
        DROP INDEX errands_by_subject;
        DROP INDEX errands_by_time;
        DROP INDEX errands_by_deadline;
        DROP INDEX errands_by_abandonment;
        DROP INDEX errands_by_destination;
        CREATE UNIQUE INDEX jobs_by_subject ON jobs (subject, kind, provider, detail);
        CREATE INDEX jobs_by_time ON jobs (due_at);
        CREATE INDEX jobs_by_deadline ON jobs (deadline) WHERE due_at IS NOT NULL;
        CREATE INDEX jobs_by_abandonment ON jobs (abandoned_at) WHERE abandoned_at IS NOT NULL;
        CREATE INDEX jobs_by_destination ON jobs (destination, due_at) WHERE due_at IS NOT NULL;
        """

    /// From here on, the values of a template are JSON. Rows with netstrings stay as they are, because there may be
    /// millions of them; `ValuesColumn` reads both. Only the number changes: an older version, which reads netstrings
    /// alone, refuses the ledger at its start.
    private static let tenth = ""

    /// Traces that keep erased users from coming back, and find them: digests with the ledger's own key, which
    /// `advance` makes. `kept_bodies` are older than the retention, but still to be forwarded.
    private static let eleventh = """
        CREATE TABLE IF NOT EXISTS tombstones (digest TEXT PRIMARY KEY, position INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS tombstones_by_position ON tombstones (position);
        CREATE INDEX IF NOT EXISTS claims_by_user ON claims ("user");
        CREATE INDEX IF NOT EXISTS transfers_by_target ON transfers (to_user);
        CREATE INDEX IF NOT EXISTS jobs_by_position ON jobs (position) WHERE position IS NOT NULL;
        CREATE TABLE IF NOT EXISTS kept_bodies (position INTEGER PRIMARY KEY) STRICT;
        """

    /// Brings a ledger up to date; refuses one that a newer version wrote, and half of a copy unless it is `forCopy`.
    static func migrate(_ connection: SQLiteConnection, forCopy: Bool = false) throws(LedgerError) {
        let found: Int64
        let isUsable: Bool
        do throws(EngineError) {
            // Takes the lock first, because two processes may start on one new file.
            try connection.execute("BEGIN IMMEDIATE")
            found = try connection.prepare("PRAGMA user_version").first { row in row.integer(0) } ?? 0
            isUsable = forCopy ? true : try !isUnfinishedCopy(connection)
            if found <= newest, isUsable { try advance(connection, from: found) }
        } catch {
            throw LedgerError(error)
        }
        guard found <= newest else { throw .newerSchema(found: found, supported: newest) }
        guard isUsable else { throw .unfinishedCopy }
    }

    /// Whether another ledger is being copied into this one.
    public static func isUnfinishedCopy(_ connection: SQLiteConnection) throws(EngineError) -> Bool {
        try connection.prepare("SELECT 1 FROM sqlite_schema WHERE name = ?").first([.text(UnfinishedCopy.table)]) { _ in
            true
        } ?? false
    }

    private static func advance(_ connection: SQLiteConnection, from version: Int64) throws(EngineError) {
        for migration in migrations.dropFirst(Int(version)) { try connection.execute(migration) }
        if version == 0 {
            try connection.prepare("INSERT INTO meta VALUES ('epoch', ?), ('unclaimed', '0')").run([
                .text(Cursor.newEpoch())
            ])
        }
        try connection.prepare("INSERT INTO meta VALUES ('erasure_key', ?) ON CONFLICT (key) DO NOTHING")
            .run([.text(ErasureKey.random())])
        try connection.execute("PRAGMA user_version = \(newest); COMMIT")
    }
}
