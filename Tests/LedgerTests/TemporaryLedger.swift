import Domain
import Foundation
import Glibc
import Support
import Synchronization
import TestSupport

@testable import Ledger

/// A real ledger in a folder of its own, with its writer and reader, and calls that wait for the answer.
final class TemporaryLedger: Sendable {
    static let start = StoreHistory.start

    let path: String
    let isFile: Bool
    let writer: LedgerWriter
    let reader: LedgerReader
    let committed: Committed
    /// Setting it lets time pass for the ledger: access that is over ends before the next command.
    let clock: Clock
    let metrics = Metrics()

    init(
        at path: String = TemporaryLedger.newPath(),
        now: Instant = TemporaryLedger.start,
        policy: AccessPolicy = AccessPolicy(sandboxUsers: .only([])),
        kind: Kind = .given
    ) throws {
        self.path = path
        let committed = Committed()
        self.committed = committed
        let clock = Clock(startingAt: now)
        self.clock = clock
        let engine = try TemporaryLedger.engine(at: path, kind: kind)
        let states = RecentStates(addresses: 1)
        isFile = engine is SQLiteEngine
        writer = try LedgerWriter(
            engine: engine,
            clock: clock,
            policy: policy,
            streams: .standard,
            providers: [.apple, .google, .stripe, .revenuecat, .purchasekit, .paycast],
            log: .silent,
            metrics: metrics,
            states: states,
            onCommit: { committed.add($0) }
        )
        reader = try LedgerReader(engine: engine, clock: clock, policy: policy, streams: .standard, states: states)
    }

    enum Kind {
        /// A file that the test looks into.
        case file
        /// What the run is for.
        case given
    }

    /// With `PAYCAST_TEST_POSTGRES`, the same cases run in PostgreSQL, each ledger in a schema of its own.
    private static let cluster = Result<PostgresCluster?, any Error> {
        guard ProcessInfo.processInfo.environment["PAYCAST_TEST_POSTGRES"] != nil else { return nil }
        return try PostgresCluster(["max_connections=400"])
    }

    private static func engine(at path: String, kind: Kind) throws -> any LedgerEngine {
        guard kind == .given, let cluster = try cluster.get() else {
            return SQLiteEngine(path: path, lockTimeout: .milliseconds(50))
        }
        return try PostgresEngine(
            url: PostgresURL(cluster.url),
            schema: schema(of: path),
            node: path,
            partitionSize: 1000
        )
    }

    static var isInPostgres: Bool { (try? cluster.get()) ?? nil != nil }

    /// A ledger on the test's own thread, in memory unless it is in PostgreSQL.
    static func repository(_ policy: AccessPolicy) throws -> LedgerRepository {
        let path = isInPostgres ? "\(UInt64.random(in: .min ... .max))" : ":memory:"
        return try engine(at: path, kind: .given).openRepository(policy: policy, streams: .standard)
    }

    /// Every row of every table in PostgreSQL, as text.
    func rows() throws -> String {
        guard let cluster = try TemporaryLedger.cluster.get() else { return "" }
        let schema = TemporaryLedger.schema(of: path)
        let tables = try cluster.psql("SELECT tablename FROM pg_tables WHERE schemaname = '\(schema)'")
        let rows = try tables.split(separator: "\n").map { table in
            try cluster.psql("SELECT string_agg(t::text, '') FROM \(schema).\(table) AS t")
        }
        // As text, bodies are hexadecimal.
        return rows.joined() + (try cluster.psql("SELECT string_agg(encode(body, 'escape'), '') FROM \(schema).events"))
    }

    /// Runs SQL in this ledger's schema in PostgreSQL.
    func psql(_ sql: String) throws {
        try TemporaryLedger.cluster.get()?.psql("SET search_path = \(TemporaryLedger.schema(of: path)); \(sql)")
    }

    private static func schema(of path: String) -> String {
        let letters = path.lowercased().unicodeScalars.filter { ("a"..."z").contains($0) || ("0"..."9").contains($0) }
        return "t_" + String(String.UnicodeScalarView(letters))
    }

    static func newPath() -> String {
        var template = Array("/tmp/ledger-test-XXXXXX".utf8CString)
        mkdtemp(&template)
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self) + "/ledger.db"
    }

    /// Sets the clock forward without waiting. Access that ends after `instant` cannot have ended before this call,
    /// however slow the machine is.
    func setClock(to instant: Instant) throws {
        clock.set(to: instant)
        // The writer looks at the clock only when a command arrives.
        _ = try order(OrderRequest(user: "somebody else", product: "monthly"))
    }

    func close() {
        reader.close()
        writer.close()
    }

    /// Closes the ledger and removes its files.
    func remove() {
        close()
        for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
        rmdir(String(path.dropLast("/ledger.db".count)))
    }

    func send(_ event: Event, claim: Claim? = nil, receivedAt: Instant? = nil) throws -> CommitResult {
        let answer = Promise<Result<CommitResult, LedgerError>>()
        let receivedAt = receivedAt ?? event.signedAt
        guard writer.submit(.event(event, claim: claim, receivedAt: receivedAt, completion: answer.fulfil)) else {
            throw LedgerError.busy
        }
        return try answer.wait().get()
    }

    func order(_ request: OrderRequest) throws -> OrderResult {
        let answer = Promise<Result<OrderResult, OrderError>>()
        guard writer.submit(.order(request, completion: answer.fulfil)) else { throw LedgerError.busy }
        return try answer.wait().get()
    }

    @discardableResult
    func erase(_ user: UserID) throws -> ErasureStep {
        var done = ErasureStep()
        repeat {
            done.add(try ask { answer in writer.submit(.erase(user, completion: answer)) })
        } while !done.isDone
        return done
    }

    func broadcast(_ fragments: [Fragment]) throws -> [Cursor] {
        let answer = Promise<Result<[Cursor], LedgerError>>()
        guard writer.submit(.broadcast(fragments, completion: answer.fulfil)) else { throw LedgerError.busy }
        return try answer.wait().get()
    }

    func missed(_ user: UserID, since: Cursor? = nil, limit: Int = 100) throws -> MissedFragments {
        let answer = Promise<Result<MissedFragments, LedgerError>>()
        guard let stream = StreamPattern.standard.stream(for: user) else { throw LedgerError.busy }
        guard
            reader.missed(
                on: stream,
                since: since.map { .cursor($0) } ?? .nothing,
                limit: limit,
                completion: answer.fulfil
            )
        else { throw LedgerError.busy }
        return try answer.wait().get()
    }

    func entitlements(_ user: UserID) throws -> UserEntitlements {
        try reader.answer { try $0.entitlements(of: user) }
    }

    func events(_ selection: EventSelection, limit: Int = 1000) throws -> [StoredEvent] {
        try reader.answer { try $0.events(selection, limit: limit) }
    }

    func jobs(dueAt now: Instant) throws -> [QueuedJob] {
        try destinations(dueAt: now).flatMap { try jobs(dueAt: now, to: $0) }.sorted { $0.id < $1.id }
    }

    func destinations(dueAt now: Instant) throws -> [Job.Destination] {
        try reader.answer { try $0.jobDestinations(dueAt: now) }
    }

    func jobs(dueAt now: Instant, to destination: Job.Destination, limit: Int = 100) throws -> [QueuedJob] {
        try reader.answer { try $0.jobs(dueAt: now, to: destination, limit: limit) }
    }

    func end(_ job: QueuedJob, with result: JobResult) throws {
        let answer = Promise<Bool>()
        guard writer.submit(.job(job.id, result, completion: answer.fulfil)), answer.wait() else {
            throw LedgerError.busy
        }
    }

    func backlog(after previous: JobBacklog? = nil) throws -> JobBacklog {
        try reader.answer { try $0.jobBacklog(after: previous) }
    }

    func checkpoint(_ name: String) throws -> Instant? {
        try reader.answer { try $0.checkpoint(name) }
    }

    func expiring(of provider: Provider = .apple, at now: Instant) throws -> [ContractKey] {
        try reader.answer { try $0.expiring(of: provider, at: now, limit: 100) }
    }

    func replay(_ batch: ReplayBatch, isTrial: Bool = false) throws -> ReplayReport {
        try ask { answer in writer.submit(.replay(batch, isTrial: isTrial, completion: answer)) }
    }

    func rebroadcast(contracts: [Int64], users: [UserID] = []) throws -> [UserID] {
        try ask { answer in writer.submit(.rebroadcast(contracts: contracts, users: users, completion: answer)) }
    }

    func contract(_ id: Int64, until position: Int64 = .max) throws -> ContractRebuild? {
        try reader.answer { try $0.contract(id, until: position) }
    }

    func saveCheckpoint(_ name: String, at instant: Instant) -> Bool {
        let answer = Promise<Bool>()
        return writer.submit(.saveCheckpoint(name, instant, completion: answer.fulfil)) && answer.wait()
    }

    private func ask<Answer: Sendable>(_ question: (@escaping @Sendable (Result<Answer, LedgerError>) -> Void) -> Bool)
        throws
        -> Answer
    {
        let answer = Promise<Result<Answer, LedgerError>>()
        guard question(answer.fulfil) else { throw LedgerError.busy }
        return try answer.wait().get()
    }

    func entries(
        _ selection: EntrySelection = .all,
        after position: Int64 = 0,
        limit: Int = 1000
    ) throws -> EntryPage {
        try reader.answer { try $0.entries(selection, after: position, limit: limit) }
    }

    /// Waits until the reader's snapshot has this position or a newer one.
    func waitForEntry(_ position: Int64) -> Entry {
        committed.wait { $0.first { $0.position == position } }
    }
}

/// Commands outside the writer's loop: each returns its entries.
extension LedgerRepository {
    mutating func entries(of command: (inout LedgerRepository) throws -> Void) rethrows -> [Entry] {
        let before = news.entries.count
        try command(&self)
        return Array(news.entries.dropFirst(before))
    }

    mutating func record(_ incoming: IncomingEvent, now: Instant) throws -> [Entry] {
        try entries { store in _ = try store.decide(at: now) { try $0.record(incoming) } }
    }

    mutating func place(_ request: OrderRequest, now: Instant) throws -> [Entry] {
        try entries { store in _ = try store.decide(at: now) { try $0.place(request, token: .random()) } }
    }

    mutating func broadcast(_ fragments: [Fragment], now: Instant) throws -> [Entry] {
        try entries { store in _ = try store.decide(at: now) { try $0.broadcast(fragments) } }
    }
}

/// What `onCommit` announced.
final class Committed: Sendable {
    private let entries = Mutex<[Entry]>([])
    private let waker = Waker()

    var all: [Entry] { entries.withLock { $0 } }

    func add(_ more: [Entry]) {
        entries.withLock { $0 += more }
        waker.wake()
    }

    /// Waits until `find` finds something.
    func wait<Found>(for find: ([Entry]) -> Found?) -> Found {
        while true {
            if let found = find(all) { return found }
            waker.wait()
        }
    }
}
