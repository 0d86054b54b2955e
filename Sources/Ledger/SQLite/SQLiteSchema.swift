import Domain

/// The tables of a ledger in a file. `user_version` counts the migrations that were applied, and `application_id` says that
/// they were these.
enum SQLiteSchema {
    static let migrations = [
        LedgerTables.sql(isShared: false, entries: entries, events: events), LedgerTables.second(isShared: false),
        LedgerTables.third(isShared: false),
    ]

    static var newest: Int64 { Int64(migrations.count) }

    /// “Pcsv”. Ledgers of commits from before the first release have another one, or none.
    static let application: Int64 = 0x5063_7376

    /// Those of a new ledger.
    static let tables = migrations.joined(separator: "\n")

    /// An entry is one committed thing. Its row id is the position that pages resume from; its event and its fragments
    /// share it. Instants are milliseconds.
    private static let entries = """
        CREATE TABLE entries (
            position INTEGER PRIMARY KEY AUTOINCREMENT,
            committed_at INTEGER NOT NULL, kind TEXT NOT NULL, provider TEXT, environment TEXT, type TEXT,
            subtype TEXT, event TEXT, outcome TEXT, user TEXT, contract TEXT, order_token TEXT, product TEXT,
            previous_state TEXT, state TEXT, access_until INTEGER, entitlements TEXT
        ) STRICT;
        CREATE INDEX entries_by_user ON entries (user) WHERE user IS NOT NULL;
        CREATE INDEX entries_unclaimed ON entries (contract, provider, environment)
            WHERE user IS NULL AND contract IS NOT NULL;
        CREATE INDEX entries_unclaimed_by_order ON entries (order_token)
            WHERE user IS NULL AND order_token IS NOT NULL;
        CREATE INDEX entries_in_doubt ON entries (outcome) WHERE outcome IN ('unclaimed', 'quarantined');

        """

    /// Fragments lie in the order of their commits; the index finds those of a stream and target. The empty key collects
    /// fragments that no newer one makes superfluous. The bodies of events and fragments are stored as `StoredBody` says.
    private static let events = """
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
    static func refusal(_ connection: SQLiteConnection, forCopy: Bool = false) throws(EngineError)
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

    /// Why this version cannot work on a ledger whose file has these numbers in its header; nil if it can.
    static func refusal(version: Int64, application: Int64) -> LedgerError? {
        guard version != 0 else { return nil }
        guard version > 0, application == SQLiteSchema.application else { return .unreleasedSchema }
        return version > newest ? .newerSchema(found: version, supported: newest) : nil
    }

    /// Whether another ledger is being copied into this one.
    static func isUnfinishedCopy(_ connection: SQLiteConnection) throws(EngineError) -> Bool {
        try connection.prepare("SELECT 1 FROM sqlite_schema WHERE name = ?").first([.text(UnfinishedCopy.table)]) { _ in
            true
        } ?? false
    }

    /// Whether a sound file holds a ledger, and not another program's tables.
    static func isLedger(_ connection: SQLiteConnection) throws(EngineError) -> Bool {
        let known = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('meta', 'entries')"
        return try number(known, connection) == 2
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
        try connection.prepare(pragma).first { row in row.integer() } ?? 0
    }
}
