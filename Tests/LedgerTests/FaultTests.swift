import Domain
import Support
import Synchronization
import TestSupport
import Testing

@testable import Ledger

@Suite(.blocking) struct FaultTests {
    @Test func badCommandFailsAlone() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        if ledger.isFile {
            let saboteur = try SQLiteConnection(path: ledger.path, access: .readWrite, lockTimeout: .seconds(1))
            try saboteur.execute(
                """
                CREATE TRIGGER sabotage BEFORE INSERT ON events WHEN new.event = 'bad'
                BEGIN SELECT raise(ABORT, 'sabotaged'); END
                """
            )
        } else {
            try ledger.psql(
                """
                CREATE FUNCTION sabotage() RETURNS trigger LANGUAGE plpgsql
                    AS 'BEGIN RAISE EXCEPTION ''sabotaged''; END';
                CREATE TRIGGER sabotage BEFORE INSERT ON events FOR EACH ROW
                    WHEN (new.event = 'bad') EXECUTE FUNCTION sabotage()
                """
            )
        }
        let answers = Answers()
        hold(ledger) {
            for id in ["good", "bad", "better"] {
                let event = Fixture.subscription(id, state: .active, key: Fixture.key(id))
                #expect(
                    ledger.writer.submit(
                        .event(event, receivedAt: TemporaryLedger.start) { answers.add(id, answer: $0.map(\.outcome)) }
                    )
                )
            }
        }
        answers.wait(for: 3)
        #expect(answers["good"] == .success(.unclaimed))
        #expect(answers["better"] == .success(.unclaimed))
        guard case .failure(.failed) = answers["bad"] else {
            Issue.record("the bad one was not refused")
            return
        }
        #expect(try ledger.entries().entries.compactMap(\.notice.event) == ["holder", "good", "better"])
        #expect(ledger.metrics.page().contains("paycast_unclaimed_contracts 2"))
    }

    @Test func lockedFileMakesTheBatchBusyAndThenRecovers() throws {
        let ledger = try TemporaryLedger(kind: .file)
        defer { ledger.remove() }
        let other = try SQLiteConnection(path: ledger.path, access: .readWrite, lockTimeout: .seconds(1))
        try other.execute("BEGIN IMMEDIATE")
        let event = Fixture.subscription("e1", state: .active)
        #expect(throws: LedgerError.busy) { try ledger.send(event) }
        #expect(ledger.committed.all.isEmpty)
        try other.execute("ROLLBACK")
        #expect(try ledger.send(event).outcome == .unclaimed)
    }

    /// A limit of pages gives SQLite's error for a full disk. The loop runs on the test's own thread.
    @Test func fullDiskMakesTheBatchBusy() throws {
        let path = TemporaryLedger.newPath()
        let engine = SQLiteEngine(path: path, lockTimeout: .zero)
        let store = try engine.openRepository(policy: AccessPolicy(sandboxUsers: .any), streams: .standard)
        let connection = try #require(store.connection as? SQLiteConnection)
        try connection.execute("PRAGMA max_page_count = 40")
        let answers = Answers()
        let committed = Committed()
        let mailbox = Mailbox<LedgerCommand>(capacity: 2) {}
        for (id, size) in [("small", 10), ("large", 1_000_000)] {
            var event = Fixture.subscription(id, state: .active, key: Fixture.key(id))
            event.body = Array(repeating: 65, count: size)
            mailbox.send(.event(event, receivedAt: event.signedAt) { answers.add(id, answer: $0.map(\.outcome)) })
        }
        mailbox.close()
        var loop = WriterLoop(
            repository: store,
            clock: Clock(startingAt: TemporaryLedger.start),
            log: .silent,
            counts: LedgerMetrics(Metrics(), providers: []),
            health: LedgerHealth(.silent, metrics: Metrics()),
            onCommit: { committed.add($0) },
            onLocale: { _ in }
        )
        loop.run(mailbox, waker: Waker()) {}
        #expect(answers["small"] == .failure(.busy))
        #expect(answers["large"] == .failure(.busy))
        #expect(committed.all.isEmpty)
        let ledger = try TemporaryLedger(at: path, kind: .file)
        #expect(try ledger.entries().entries.isEmpty)
        ledger.remove()
    }

    @Test func fullMailboxRefuses() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let accepted = Counter()
        hold(ledger) {
            let event = Fixture.event("same", kind: .providerTest, observation: nil)
            while ledger.writer.submit(.event(event, receivedAt: event.signedAt) { _ in }) { accepted.add() }
        }
        #expect(accepted.value == 10_000)
        ledger.writer.close()
        #expect(try ledger.entries().entries.compactMap(\.notice.event) == ["holder", "same"])
    }

    @Test func closingCommitsWhatWaitsAndRefusesTheRest() throws {
        let ledger = try TemporaryLedger()
        let answers = Answers()
        hold(ledger) {
            for id in 0..<100 {
                let event = Fixture.event("e\(id)", kind: .providerTest, observation: nil)
                _ = ledger.writer.submit(
                    .event(event, receivedAt: event.signedAt) { answers.add("e\(id)", answer: $0.map(\.outcome)) }
                )
            }
        }
        ledger.writer.close()
        #expect(answers.count == 100)
        #expect(!ledger.writer.submit(.broadcast([]) { _ in }))
        #expect(try ledger.entries().entries.count == 101)
        ledger.remove()
    }

    /// Runs `body` while the writer's thread is held in a completion.
    private func hold(_ ledger: TemporaryLedger, while body: () -> Void) {
        let held = Promise<Bool>()
        let release = Promise<Bool>()
        let event = Fixture.event("holder", kind: .providerTest, observation: nil)
        _ = ledger.writer.submit(
            .event(event, receivedAt: event.signedAt) { _ in
                held.fulfil(true)
                _ = release.wait()
            }
        )
        _ = held.wait()
        body()
        release.fulfil(true)
    }
}

/// Completions by name.
private final class Answers: Sendable {
    private let answers = Mutex<[String: Result<Outcome, LedgerError>]>([:])
    private let waker = Waker()

    var count: Int { answers.withLock { $0.count } }

    subscript(name: String) -> Result<Outcome, LedgerError>? { answers.withLock { $0[name] } }

    func add(_ name: String, answer: Result<Outcome, LedgerError>) {
        answers.withLock { $0[name] = answer }
        waker.wake()
    }

    func wait(for count: Int) {
        while self.count < count { waker.wait() }
    }
}
