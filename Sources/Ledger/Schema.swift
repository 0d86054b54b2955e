internal import Domain

/// The tables, as numbered migrations: `user_version` counts those that were applied.
enum Schema {
    static let migrations = [first]

    static var newest: Int64 { Int64(migrations.count) }

    /// An entry is one committed thing; its row id is the position that pages resume from. An event, a fragment and
    /// an entry share it. Fragments lie beside the others of their stream and target, so that a page's replay reads
    /// neighbours and a commit dirties one leaf; the empty key collects those that no newer one makes superfluous.
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

    /// Brings a ledger up to date; refuses one that a newer version wrote.
    static func migrate(_ connection: borrowing Connection) throws(LedgerError) {
        let found: Int64
        do throws(SQLiteError) {
            // The lock first: two processes may start on one new file.
            try connection.execute("BEGIN IMMEDIATE")
            found = try connection.prepare("PRAGMA user_version").first { row in row.integer(0) } ?? 0
            if found <= newest { try advance(connection, from: found) }
        } catch {
            throw LedgerError(error)
        }
        guard found <= newest else { throw .newerSchema(found: found, supported: newest) }
    }

    private static func advance(_ connection: borrowing Connection, from version: Int64) throws(SQLiteError) {
        for migration in migrations.dropFirst(Int(version)) { try connection.execute(migration) }
        if version == 0 {
            try connection.prepare("INSERT INTO meta VALUES ('epoch', ?), ('unclaimed', '0')").run([.text(newEpoch())])
        }
        try connection.execute("PRAGMA user_version = \(newest); COMMIT")
    }

    /// 41 random bits: cursors of another ledger must not pass for this one's.
    private static func newEpoch() -> String {
        let alphabet = Array("0123456789abcdefghijklmnopqrstuvwxyz")
        return String((0..<8).map { _ in alphabet[Int.random(in: 0..<36)] })
    }
}
