/// The tables that grow with every commit, `entries`, `events` and `fragments`, in partitions by position: what a
/// commit writes lies in the indexes of the newest partition, however long the history is, and vacuum works on one
/// partition after the other. None is ever dropped, because positions, ids and outcomes stay. At 20 million entries, one
/// table each makes a commit write four times as much of the log, and a step of the retention seven times.
///
/// A key of a partitioned table contains the position, so `event_ids` is a table of its own, which a trigger keeps. The
/// foreign keys of positions are gone: entries are never deleted, and each would be checked in every partition. So is
/// that of an event's contract, which would make each new partition wait for everybody who changes a contract.
enum PartitionedTables {
    /// The indexes of a partition, into which a commit writes, should stay in memory: those of 5 million positions take
    /// about 2 GB. 100 million make 20 partitions, so a question that concerns all of them asks 20 small indexes.
    static let usualSize: Int64 = 5_000_000

    /// More positions than a batch takes.
    static let roomOfABatch: Int64 = 100_000

    static let tables =
        ids + "\n" + reservation + "\n" + """
            CREATE TABLE entries (
                position BIGINT PRIMARY KEY,
                committed_at BIGINT NOT NULL, kind TEXT NOT NULL, provider TEXT COLLATE "C", environment TEXT COLLATE "C",
                type TEXT COLLATE "C", subtype TEXT, event TEXT COLLATE "C", outcome TEXT COLLATE "C",
                "user" TEXT COLLATE "C", contract TEXT COLLATE "C", order_token TEXT COLLATE "C", product TEXT,
                previous_state TEXT, state TEXT, access_until BIGINT, entitlements TEXT
            ) PARTITION BY RANGE (position);
            CREATE INDEX entries_by_user ON entries ("user", position) WHERE "user" IS NOT NULL;
            CREATE INDEX entries_unclaimed ON entries (contract, provider, environment, position)
                WHERE "user" IS NULL AND contract IS NOT NULL;
            CREATE INDEX entries_unclaimed_by_order ON entries (order_token, position)
                WHERE "user" IS NULL AND order_token IS NOT NULL;
            CREATE INDEX entries_in_doubt ON entries (outcome, position) WHERE outcome IN ('unclaimed', 'quarantined');

            CREATE TABLE events (
                position BIGINT PRIMARY KEY,
                provider TEXT COLLATE "C" NOT NULL, environment TEXT COLLATE "C" NOT NULL, event TEXT COLLATE "C" NOT NULL,
                app TEXT NOT NULL, signed_at BIGINT NOT NULL, received_at BIGINT NOT NULL, body BYTEA NOT NULL,
                header BYTEA, contract BIGINT
            ) PARTITION BY RANGE (position);
            CREATE INDEX events_by_contract ON events (contract, position) WHERE contract IS NOT NULL;
            CREATE TRIGGER events_keep_id AFTER INSERT OR UPDATE OF event ON events
                FOR EACH ROW EXECUTE FUNCTION keep_event_id();

            CREATE TABLE fragments (
                stream TEXT COLLATE "C" NOT NULL, collapse_key TEXT COLLATE "C" NOT NULL, position BIGINT NOT NULL,
                ordinal BIGINT NOT NULL,
                action TEXT NOT NULL, target TEXT, targets TEXT, content TEXT NOT NULL, template TEXT, body BYTEA,
                PRIMARY KEY (stream, collapse_key, position, ordinal)
            ) PARTITION BY RANGE (position);
            CREATE INDEX fragments_by_position ON fragments (position);

            -- Bodies come compressed (StoredBody).
            ALTER TABLE events ALTER COLUMN body SET STORAGE EXTERNAL;
            ALTER TABLE fragments ALTER COLUMN body SET STORAGE EXTERNAL;
            """

    private static let ids = """
        CREATE TABLE event_ids (
            event TEXT COLLATE "C" NOT NULL, provider TEXT COLLATE "C" NOT NULL, environment TEXT COLLATE "C" NOT NULL,
            position BIGINT NOT NULL, PRIMARY KEY (event, provider, environment) INCLUDE (position)
        ) WITH (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);

        CREATE FUNCTION keep_event_id() RETURNS trigger LANGUAGE plpgsql
        SECURITY DEFINER SET search_path FROM CURRENT AS $$
        BEGIN
            IF TG_OP = 'UPDATE' THEN
                DELETE FROM event_ids
                WHERE event = OLD.event AND provider = OLD.provider AND environment = OLD.environment;
            END IF;
            INSERT INTO event_ids VALUES (NEW.event, NEW.provider, NEW.environment, NEW.position);
            RETURN NULL;
        END $$;
        INSERT INTO meta VALUES ('reserved', '0');
        """

    /// Makes the partitions of the next `size` positions as soon as fewer than `size` are left. Call it with the head
    /// locked: so only one node makes them, and nobody who writes is in the way. It does not wait for anybody else, such
    /// as a manual ANALYZE, and fails only when the next batch may find no room. It runs with the rights of the tables'
    /// owner, because a server's user may have none to make tables.
    private static let reservation = """
        CREATE FUNCTION reserve_positions(size BIGINT) RETURNS BIGINT LANGUAGE plpgsql
        SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '100ms' AS $$
        DECLARE
            newest BIGINT := (SELECT position FROM head);
            reserved BIGINT := (SELECT CAST(value AS BIGINT) FROM meta WHERE key = 'reserved');
            parent TEXT;
            partition TEXT;
        BEGIN
            WHILE newest + size >= reserved LOOP
                BEGIN
                    FOREACH parent IN ARRAY ARRAY['entries', 'events', 'fragments'] LOOP
                        partition := format('%s_from_%s', parent, reserved);
                        EXECUTE format(
                            'CREATE TABLE %I (LIKE %I INCLUDING ALL) WITH (\(storage))', partition, parent
                        );
                        EXECUTE format(
                            'ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%s)',
                            parent, partition, reserved, reserved + size
                        );
                    END LOOP;
                    reserved := reserved + size;
                    UPDATE meta SET value = CAST(reserved AS TEXT) WHERE key = 'reserved';
                EXCEPTION WHEN OTHERS THEN
                    IF newest + least(\(roomOfABatch), size / 2) >= reserved THEN RAISE; END IF;
                    RAISE LOG 'paycast could not make its next partitions: %', SQLERRM;
                    EXIT;
                END;
            END LOOP;
            RETURN reserved;
        END $$;
        """

    /// Inserted rows are vacuumed early, so that the indexes alone answer where they can, and freezing never comes all
    /// at once; a retention's dead rows as well.
    private static let storage = """
        autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_vacuum_scale_factor = 0.05
        """
}
