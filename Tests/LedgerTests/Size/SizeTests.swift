import Domain
import Foundation
import Glibc
import Support
import TestSupport
import Testing

@testable import Ledger

/// How many entries the large ledger has.
private let large = ProcessInfo.processInfo.environment["PAYCAST_TEST_SIZE"].flatMap { Int64($0) }

/// How long what a server does takes in a large ledger, beside a small one. `PAYCAST_TEST_SIZE=20000000`
/// asks for it; filling it takes minutes. Figures are printed, in milliseconds.
@Suite(.blocking, .enabled(if: large != nil)) struct SizeTests {
    private static let small: Int64 = 100_000

    @Test func postgreSQLAnswersALargeLedgerLikeASmallOne() throws {
        let figures = try [SizeTests.small, try #require(large)].map { entries in
            let cluster = try PostgresCluster([
                "fsync=on", "full_page_writes=on", "autovacuum=on", "shared_buffers=1GB", "max_wal_size=8GB",
            ])
            let filled = try FilledPostgres(cluster, entries: entries, partitionSize: PostgresEngine.usualPartitionSize)
            print("\(entries) entries:", try cluster.psql("SELECT pg_size_pretty(pg_database_size('postgres'))"))
            return try measure(filled.engine, entries: entries)
        }
        try compare(figures)
    }

    @Test func sqliteAnswersALargeLedgerLikeASmallOne() throws {
        let figures = try [SizeTests.small, try #require(large)].map { entries in
            let ledger = try TemporaryLedger(kind: .file)
            defer { ledger.remove() }
            _ = try ledger.send(StatementPlansTests.event, claim: Claim(user: FilledLedger.user))
            ledger.close()
            let connection = try SQLiteConnection(path: ledger.path, access: .readWrite, lockTimeout: .seconds(1))
            try connection.execute("PRAGMA cache_size = -1000000; PRAGMA temp_store = MEMORY")
            let filled = FilledLedger(entries: entries, isShared: false)
            for sql in filled.slices.joined() + filled.others { try connection.execute(sql) }
            try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            return try measure(SQLiteEngine(path: ledger.path), entries: entries)
        }
        try compare(figures)
    }

    /// Tenfold would be growth: 200 times as many entries make an index two pages deeper. Pages that come from the disk,
    /// and jobs that are counted up to their limit, may take 25 ms more.
    private func compare(_ figures: [[(name: String, milliseconds: [Double])]]) throws {
        for (small, large) in zip(figures[0], figures[1]) {
            let medians = [small, large].map { $0.milliseconds.sorted()[$0.milliseconds.count / 2] }
            let slowest = [small, large].map { $0.milliseconds.sorted()[$0.milliseconds.count * 99 / 100] }
            let numbers = zip(medians, slowest).map { String(format: "%.2f (%.2f)", $0, $1) }
            print("| \(small.name) | \(numbers.joined(separator: " | ")) |")
            #expect(medians[1] < 10 * medians[0] + 25, "\(small.name)")
        }
    }

    private func measure(
        _ engine: any LedgerEngine,
        entries: Int64
    ) throws -> [(name: String, milliseconds: [Double])] {
        let policy = AccessPolicy(sandboxUsers: .only([]))
        var store = try engine.openRepository(policy: policy, streams: .standard)
        defer { store.file?.finish() }
        var queries = try engine.openQueries(policy: policy, streams: .standard)
        queries.clock = Clock(startingAt: Fixture.now)
        var generator = SeededGenerator(seed: 7)
        func contract() -> Int64 { Int64.random(in: 1..<entries / 10, using: &generator) }
        func stream(_ user: UserID) throws -> StreamName { try #require(StreamPattern.standard.stream(for: user)) }
        let now = Fixture.now
        var number = 0
        func batch(_ count: Int, duplicates: Bool = false) throws {
            let events = (0..<count).map { _ in
                number += 1
                let owner = contract()
                let id = duplicates ? "e\(owner + 1)" : "new-\(number)"
                let key = Fixture.key("c\(owner)")
                let event = Fixture.subscription(id, state: .active, minute: Int64(number), key: key)
                return IncomingEvent(event, receivedAt: event.signedAt)
            }
            var preload = Preload()
            for event in events { preload.add(event) }
            try store.begin(reading: preload, keys: [], now: now)
            for event in events { _ = try store.record(event, now: now) }
            try store.commit()
        }
        func page(of user: UserID) throws {
            let stream = try stream(user)
            _ = try queries.snapshot {
                try $0.userEvents(of: user, shownOn: stream, before: .max, limit: 50, withBodies: false)
            }
        }
        func user() -> UserID { UserID("u\(contract())") }
        return try [
            ("a webhook", time(300) { try batch(1) }),
            ("100 webhooks in one commit", time(100) { try batch(100) }),
            ("a webhook that came before", time(300) { try batch(1, duplicates: true) }),
            (
                "a page that comes back, 1000 positions later",
                time(300) {
                    let cursor = Cursor(epoch: queries.epoch, position: entries - 1000)
                    _ = try queries.snapshot { try $0.missed(on: stream(user()), since: .cursor(cursor), limit: 100) }
                }
            ),
            (
                "a page without a cursor",
                time(300) {
                    _ = try queries.snapshot { try $0.missed(on: stream(user()), since: .nothing, limit: 100) }
                }
            ),
            ("entitlements", time(300) { _ = try queries.snapshot { try $0.entitlements(of: user()) } }),
            ("50 events of a user", time(300) { try page(of: user()) }),
            (
                "50 events of a user who has \(entries / 1000) or more", time(100) { try page(of: FilledLedger.user) }
            ),
            (
                "100 entries of the feed",
                time(100) {
                    _ = try queries.snapshot { try $0.entries(.all, after: Int64.random(in: 0..<entries), limit: 100) }
                }
            ),
            (
                "an event by its id",
                time(300) {
                    _ = try queries.snapshot { try $0.events(EventSelection(ids: ["e\(contract())"]), limit: 10) }
                }
            ),
            ("due jobs", time(100) { _ = try queries.snapshot { try $0.jobDestinations(dueAt: now) } }),
            ("the backlog of jobs", time(20) { _ = try queries.snapshot { try $0.jobBacklog(after: nil) } }),
            (
                "a step of the retention",
                time(100) {
                    try store.begin()
                    _ = try store.emptyOld(before: now)
                    try store.commit()
                }
            ),
        ]
    }

    /// How long each run takes, after some that warm the caches.
    private func time(_ count: Int, _ body: () throws -> Void) throws -> [Double] {
        for _ in 0..<5 { try body() }
        return try (0..<count).map { _ in
            let start = ContinuousClock.now
            try body()
            return Double((ContinuousClock.now - start).wholeMicroseconds) / 1000
        }
    }
}

extension Duration {
    fileprivate var wholeMicroseconds: Int64 {
        components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
    }
}
