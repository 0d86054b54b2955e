import Domain
import Support
import Synchronization
import TestSupport
import Testing

@testable import Ledger
@testable import PostgresLedger

/// The tables of a ledger that was made before there were partitions become the first ones.
@Suite(.timeLimit(.minutes(30)), .blocking, .enabled(if: PostgresCluster.isInstalled)) struct PartitionMigrationTests {
    private static let policy = AccessPolicy(sandboxUsers: .only([]))
    private static let size: Int64 = 50

    /// Every row, and what pages and the API are answered, for cursors of every age.
    @Test func answersStayTheSame() throws {
        let cluster = try PostgresCluster()
        let made = try PartitionMigrationTests.ledger("made", in: cluster, events: 120)
        let old = try OldLedger("old", in: cluster, rowsOf: "made")
        let files = try files(of: old, suffix: "")
        let before = try OldLedger.tables.map { try old.digest(of: $0) }
        let answers = try answers(of: made)
        let migrated = try engine("old", in: cluster)
        #expect(try OldLedger.tables.map { try old.digest(of: $0) } == before)
        #expect(try answers == self.answers(of: migrated))
        // The rows lie in the files in which they were.
        #expect(try self.files(of: old, suffix: "_from_start") == files)
        #expect(try old.run("SELECT count(*) FROM event_ids") == "120")
        // It goes on, through several partitions.
        let record = try PartitionMigrationTests.send(events: 100..<260, to: migrated)
        #expect(record.map(\.outcome).prefix(20).allSatisfy { $0 == .duplicate })
        #expect(try old.run("SELECT count(*), count(DISTINCT tableoid) > 2 FROM entries") == "260|t")
        #expect(try PartitionMigrationTests.send(events: 0..<260, to: migrated).allSatisfy { $0.outcome == .duplicate })
    }

    private func files(of old: OldLedger, suffix: String) throws -> String {
        try old.run(
            """
            SELECT string_agg(pg_relation_filenode(('old.' || name || '\(suffix)')::regclass)::text, ' ' ORDER BY name)
            FROM unnest(ARRAY['entries', 'events', 'fragments']) AS name
            """
        )
    }

    /// Nodes of the older version go on meanwhile, and afterwards until they have drained.
    @Test func olderNodesCommitMeanwhile() throws {
        let cluster = try PostgresCluster()
        _ = try PartitionMigrationTests.ledger("made", in: cluster, events: 40)
        let old = try OldLedger("old", in: cluster, rowsOf: "made")
        let isDone = Atomic(false)
        let committed = Promise<Int>()
        let writer = WorkerThread(name: "older-node") {
            var count = 0
            while !isDone.load(ordering: .relaxed) || count < 20 {
                if (try? old.commitAsBefore("old-\(count)")) != nil { count += 1 }
            }
            committed.fulfil(count)
        }
        _ = try engine("old", in: cluster)
        isDone.store(true, ordering: .relaxed)
        let count = committed.wait()
        writer.join()
        #expect(try old.run("SELECT count(*) FROM events") == "\(40 + count)")
        #expect(
            try old.run(
                "SELECT count(*) FROM events JOIN event_ids USING (event, provider, environment, position)"
            ) == "\(40 + count)"
        )
        #expect(throws: PostgresCluster.Failure.self) { try old.commitAsBefore("old-0") }
    }

    /// Somebody reads for long, such as a backup: nobody else waits behind the migration for more than its two seconds,
    /// and it comes to its end.
    @Test func itWaitsForALongReader() throws {
        let cluster = try PostgresCluster()
        _ = try PartitionMigrationTests.ledger("made", in: cluster, events: 10)
        let old = try OldLedger("old", in: cluster, rowsOf: "made")
        let reader = PostgresConnection(try PostgresURL(cluster.url))
        try reader.begin()
        try reader.execute("SELECT count(*) FROM old.entries")
        let migration = Promise<Bool>()
        let worker = WorkerThread(name: "newer-node") { migration.fulfil((try? engine("old", in: cluster)) != nil) }
        try Deadline(.seconds(30)).wait(for: "the migration's wait") {
            try cluster.psql("SELECT count(*) FROM pg_locks WHERE NOT granted") != "0"
        }
        try old.commitAsBefore("meanwhile")
        try reader.commit()
        #expect(migration.wait())
        worker.join()
        #expect(try old.run("SELECT value FROM meta WHERE key = 'schema'") == "\(PostgresSchema.newest)")
        #expect(try old.run("SELECT count(*) FROM event_ids") == "11")
    }

    /// A node that dies within the long part leaves a ledger that older nodes write, and that the next one brings to the
    /// end.
    @Test func anotherNodeGoesOn() throws {
        let cluster = try PostgresCluster()
        _ = try PartitionMigrationTests.ledger("made", in: cluster, events: 30)
        let old = try OldLedger("old", in: cluster, rowsOf: "made")
        let postgres = PostgresConnection(
            try PostgresURL(cluster.url),
            options: PostgresNodeState.options(schema: "old")
        )
        let steps = MigrationSteps(postgres: postgres, schema: "old", size: PartitionMigrationTests.size)
        try PartitionedTables.fillAndCheck(steps)
        postgres.close()
        for number in 0..<60 { try old.commitAsBefore("left-\(number)") }
        let migrated = try engine("old", in: cluster)
        #expect(try old.run("SELECT count(*) FROM event_ids") == "90")
        let results = try PartitionMigrationTests.send(events: 0..<200, to: migrated)
        #expect(results.filter { $0.outcome == .duplicate }.count == 30)
    }

    /// A transaction pooler gives each question another session, which knows no schema.
    @Test(.enabled(if: PostgresCluster.isPoolerInstalled)) func migratesThroughAPooler() throws {
        let cluster = try PostgresCluster()
        _ = try PartitionMigrationTests.ledger("made", in: cluster, events: 30)
        let old = try OldLedger("old", in: cluster, rowsOf: "made")
        let reserved = ReservedPort()
        let pooler = try cluster.pooler(port: reserved.number)
        _ = try PostgresEngine(
            url: PostgresURL("postgres://paycast@127.0.0.1:\(reserved.number)/postgres"),
            schema: "old",
            node: "newer",
            partitionSize: PartitionMigrationTests.size
        )
        #expect(try old.run("SELECT count(*) FROM event_ids") == "30")
        pooler.send(.kill)
    }

    /// A server's user may have fewer rights than the one who migrates.
    @Test func rightsAreKept() throws {
        let cluster = try PostgresCluster()
        _ = try PartitionMigrationTests.ledger("made", in: cluster, events: 10)
        let old = try OldLedger("old", in: cluster, rowsOf: "made")
        try old.run(
            """
            CREATE ROLE server LOGIN;
            GRANT USAGE ON SCHEMA old TO server;
            GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA old TO server;
            ALTER DEFAULT PRIVILEGES IN SCHEMA old GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO server
            """
        )
        _ = try engine("old", in: cluster)
        let restricted = try PostgresEngine(
            url: PostgresURL(cluster.url.replacing("paycast@", with: "server@")),
            schema: "old",
            node: "restricted",
            partitionSize: PartitionMigrationTests.size
        )
        // Through several partitions, which this user may not make.
        let results = try PartitionMigrationTests.send(events: 10..<260, to: restricted)
        #expect(results.allSatisfy { $0.outcome != .duplicate })
        #expect(try old.run("SELECT count(DISTINCT tableoid) > 3 FROM entries") == "t")
    }
}

extension PartitionMigrationTests {
    private func engine(_ schema: String, in cluster: PostgresCluster) throws -> PostgresEngine {
        try PostgresEngine(
            url: PostgresURL(cluster.url),
            schema: schema,
            node: "newer",
            partitionSize: PartitionMigrationTests.size
        )
    }

    private static func ledger(_ schema: String, in cluster: PostgresCluster, events: Int) throws -> PostgresEngine {
        let engine = try PostgresEngine(url: PostgresURL(cluster.url), schema: schema, node: "one", partitionSize: size)
        _ = try send(events: 0..<events, to: engine)
        return engine
    }

    /// Ten users take turns; every seventh event has no user.
    private static func send(events: Range<Int>, to engine: PostgresEngine) throws -> [CommitResult] {
        var store = try engine.openRepository(policy: policy, streams: .standard)
        defer { store.finish() }
        return try events.map { number in
            let minute = Int64(number)
            let key = Fixture.key("c\(number % (number % 7 == 0 ? 7 : 10))")
            let event = Fixture.subscription("e\(number)", state: .active, minute: minute, key: key)
            let claim = number % 7 == 0 ? nil : Claim(user: UserID("u\(number % 10)"))
            try store.begin()
            let incoming = IncomingEvent(event, claim: claim, receivedAt: event.signedAt)
            let commit = try store.record(incoming, now: Fixture.now + .seconds(60 * minute))
            try store.commit()
            return commit.value
        }
    }

    private struct Answers: Equatable {
        var entries: [EntryPage] = []
        var entitlements: [UserEntitlements] = []
        var missed: [MissedFragments] = []
        var pages: [UserEvents] = []
        var events: [[StoredEvent]] = []
    }

    /// What a reader is answered about everything.
    private func answers(of engine: PostgresEngine) throws -> Answers {
        let queries = try engine.openQueries(policy: PartitionMigrationTests.policy, streams: .standard)
        var answers = Answers(entries: [try queries.entries(.all, after: 0, limit: 1000)])
        for number in 0..<10 {
            let user = UserID("u\(number)")
            let stream = try #require(StreamPattern.standard.stream(for: user))
            answers.entitlements.append(try queries.entitlements(of: user, now: Fixture.now))
            answers.entries.append(try queries.entries(EntrySelection(user: user), after: 3, limit: 100))
            for position in [Int64(0), 1, 60, 119, 120, 121] {
                let cursor = Cursor(epoch: queries.epoch, position: position)
                answers.missed.append(try queries.missed(on: stream, since: .cursor(cursor), limit: 10))
            }
            answers.missed.append(try queries.missed(on: stream, since: .nothing, limit: 10))
            answers.pages.append(
                try queries.userEvents(of: user, shownOn: stream, before: .max, limit: 7, withBodies: true)
            )
        }
        for selection in [EventSelection(ids: ["e7", "e33"]), EventSelection(user: "u3"), EventSelection()] {
            answers.events.append(try queries.events(selection, limit: 1000))
        }
        return answers
    }
}
