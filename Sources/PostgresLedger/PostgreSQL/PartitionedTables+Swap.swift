internal import Ledger

/// How the tables of older ledgers become the first partitions, without being rewritten, and how those of a new ledger
/// begin.
extension PartitionedTables {
    /// Positions below `reserved` have a partition. That of a ledger with entries is known by now.
    static func first(size: Int64) -> String {
        "INSERT INTO meta VALUES ('reserved', '\(size)') ON CONFLICT (key) DO NOTHING;"
    }

    /// Whoever was granted something on the tables keeps it.
    static let swap = """
        LOCK TABLE entries, events, fragments, jobs IN ACCESS EXCLUSIVE MODE;
        ALTER TABLE jobs DROP CONSTRAINT jobs_position_fkey;
        ALTER TABLE fragments DROP CONSTRAINT fragments_position_fkey;
        ALTER TABLE events DROP CONSTRAINT events_position_fkey, DROP CONSTRAINT events_contract_fkey;
        DROP TRIGGER events_keep_id ON events;
        DO $$
        DECLARE
            parent TEXT;
            partition TEXT;
            name TEXT;
            granted RECORD;
        BEGIN
            FOREACH parent IN ARRAY ARRAY['entries', 'events', 'fragments'] LOOP
                partition := parent || '_from_start';
                FOR name IN SELECT indexname FROM pg_indexes WHERE schemaname = current_schema AND tablename = parent
                LOOP
                    EXECUTE format('ALTER INDEX %I RENAME TO %I', name, replace(name, parent, partition));
                END LOOP;
                EXECUTE format('ALTER TABLE %I RENAME TO %I', parent, partition);
                EXECUTE format('CREATE TABLE %I (LIKE %I) PARTITION BY RANGE (position)', parent, partition);
                FOR granted IN SELECT (aclexplode(relacl)).* FROM pg_class WHERE oid = partition::regclass LOOP
                    EXECUTE format(
                        'GRANT %s ON %I TO %s', granted.privilege_type, parent,
                        CASE granted.grantee WHEN 0 THEN 'PUBLIC' ELSE granted.grantee::regrole::text END
                    );
                END LOOP;
            END LOOP;
        END $$;
        """

    /// The same as those of the tables before, except that of the events' ids. That one stays on the first partition: an
    /// older node that still drains looks there. A ledger without events needs it no more.
    static let indexes = """
        ALTER TABLE entries ADD PRIMARY KEY (position);
        CREATE INDEX entries_by_user ON entries ("user", position) WHERE "user" IS NOT NULL;
        CREATE INDEX entries_unclaimed ON entries (contract, provider, environment, position)
            WHERE "user" IS NULL AND contract IS NOT NULL;
        CREATE INDEX entries_unclaimed_by_order ON entries (order_token, position)
            WHERE "user" IS NULL AND order_token IS NOT NULL;
        ALTER TABLE events ADD PRIMARY KEY (position);
        CREATE INDEX events_by_contract ON events (contract, position) WHERE contract IS NOT NULL;
        ALTER TABLE fragments ADD PRIMARY KEY (stream, collapse_key, position, ordinal);
        CREATE INDEX fragments_by_position ON fragments (position);
        CREATE TRIGGER events_keep_id AFTER INSERT OR UPDATE OF event ON events
            FOR EACH ROW EXECUTE FUNCTION keep_event_id();
        """

    /// The constraint that was validated spares the scan that would look for rows out of range.
    static let attachment = """
        DO $$
        DECLARE
            parent TEXT;
            reserved BIGINT := (SELECT CAST(value AS BIGINT) FROM meta WHERE key = 'reserved');
        BEGIN
            FOREACH parent IN ARRAY ARRAY['entries', 'events', 'fragments'] LOOP
                EXECUTE format(
                    'ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (MINVALUE) TO (%s)',
                    parent, parent || '_from_start', reserved
                );
                EXECUTE format(
                    'ALTER TABLE %I DROP CONSTRAINT IF EXISTS upgrade_unfinished', parent || '_from_start'
                );
                EXECUTE format('ALTER TABLE %I SET (\(storage))', parent || '_from_start');
            END LOOP;
            IF NOT EXISTS (SELECT FROM events) THEN
                DROP INDEX events_from_start_by_id;
            END IF;
            DELETE FROM meta WHERE key = 'event_ids';
        END $$;
        """
}

/// The steps that take time, each in a transaction of its own, while the nodes of the older version go on. Any of them
/// may be repeated, and another node may go on where one has stopped.
extension PartitionedTables {
    /// How many positions one step looks at: the commits of the other nodes wait 0.1 seconds for it.
    private static let step = 20_000

    static func fillAndCheck(_ steps: MigrationSteps) throws(EngineError) {
        try steps.run(ids)
        // An erasure must not run between what is read here and what is written.
        while try steps.ask("SELECT CAST(value AS BIGINT) - position FROM meta, head WHERE key = 'event_ids'") < 0 {
            try steps.run(
                """
                SELECT position FROM head FOR UPDATE;
                INSERT INTO event_ids SELECT event, provider, environment, position
                FROM events, (SELECT CAST(value AS BIGINT) AS filled FROM meta WHERE key = 'event_ids') AS step
                WHERE position > filled AND position <= filled + \(step)
                ON CONFLICT DO NOTHING;
                UPDATE meta SET value = CAST(CAST(value AS BIGINT) + \(step) AS TEXT) WHERE key = 'event_ids'
                """
            )
        }
        let reserved = try steps.ask("SELECT (position / \(steps.size) + 2) * \(steps.size) FROM head")
        try steps.run(
            """
            INSERT INTO meta VALUES ('reserved', '\(reserved)')
                ON CONFLICT (key) DO UPDATE SET value = excluded.value
            """
        )
        for table in ["entries", "events", "fragments"] {
            // Its name is what the error says if nobody finishes this, and the older version reaches the end.
            try steps.run(
                """
                ALTER TABLE \(table) DROP CONSTRAINT IF EXISTS upgrade_unfinished,
                    ADD CONSTRAINT upgrade_unfinished CHECK (position < \(reserved)) NOT VALID
                """
            )
            try steps.run("ALTER TABLE \(table) VALIDATE CONSTRAINT upgrade_unfinished")
        }
    }
}
