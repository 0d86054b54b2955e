import APIModel
import Ledger
import Pages
import Stores
import Support
import Synchronization
import TestSupport
import Testing

@testable import API
@testable import Domain

/// Over a real ledger, with a store that may speak while its events are read.
@Suite(.blocking) struct EventReplayTests {
    /// What was done is told beside what is left, and in the form of an error.
    @Test func fiveLostRacesTellWhatWasDone() throws {
        let fixture = try ReplayFixture()
        defer { fixture.close() }
        try fixture.send(fixture.event("cold", state: .revoked))
        try fixture.send(fixture.event("hot", state: .active))
        let response = fixture.replay.response(to: EventSelection(), mode: .apply)
        #expect(response.status == 503)
        #expect(response.headers.contains { $0 == ("Retry-After", "5") })
        let body = String(decoding: response.body, as: UTF8.self)
        #expect(body.contains(#""after":"active","before":"revoked","contract":"cold""#), "\(body)")
        #expect(body.contains(#""error":"busy","left":["hot"],"message":"#), "\(body)")
        #expect(body.contains(#""read":2,"#), "\(body)")
        #expect(fixture.interruptions == 5)
    }

    @Test func whatWasLeftIsDoneOnceTheStoreIsSilent() throws {
        let fixture = try ReplayFixture()
        defer { fixture.close() }
        try fixture.send(fixture.event("hot", state: .revoked))
        #expect(try fixture.replay.run(EventSelection(), mode: .apply).left == ["hot"])
        fixture.silence()
        let result = try fixture.replay.run(EventSelection(), mode: .apply)
        #expect(result.left.isEmpty)
        #expect(result.changes.map(\.after) == [.active])
    }
}

/// A ledger, and a store of which every event is read as `active` now, whatever it was taken for at first.
private final class ReplayFixture: Sendable {
    private let folder = TemporaryFolder()
    private let writer: LedgerWriter
    private let reader: LedgerReader
    private let store: TalkingStore

    var replay: EventReplay {
        EventReplay(
            verifiers: [.apple: store],
            reader: reader,
            writer: writer,
            epoch: "test",
            act: Act(.replay, by: .init(name: "api"), user: nil)
        )
    }

    var interruptions: Int { store.interruptions.withLock { $0 } }

    init() throws {
        let (path, clock, policy) = (
            folder.path + "/ledger.db", Clock(startingAt: TalkingStore.start), AccessPolicy(sandboxUsers: .any)
        )
        writer = try LedgerWriter(
            engine: SQLiteEngine(path: path),
            clock: clock,
            policy: policy,
            streams: .standard,
            providers: [.apple, .google, .stripe, .revenuecat, .purchasekit],
            log: .silent,
            metrics: Metrics(),
            onCommit: { _ in }
        )
        reader = try LedgerReader(engine: SQLiteEngine(path: path), clock: clock, policy: policy, streams: .standard)
        store = TalkingStore(writer)
    }

    func close() {
        reader.close()
        writer.close()
    }

    func silence() { store.isTalking.withLock { $0 = false } }

    func event(_ lineage: String, state: ContractState) -> Event {
        TalkingStore.event(lineage, of: lineage, state: state, at: TalkingStore.start)
    }

    func send(_ event: Event) throws { try store.send(event) }
}

/// Says something old of the contract `hot` whenever its first event is read.
private final class TalkingStore: StoreVerifier {
    static let start = Instant(milliseconds: 1_767_225_600_000)

    let isTalking = Mutex(true)
    let interruptions = Mutex(0)
    private let writer: LedgerWriter

    init(_ writer: LedgerWriter) {
        self.writer = writer
    }

    func verify(_ delivery: Delivery, now: Instant) throws(VerificationError) -> Event { throw .notConfigured }

    func interpret(_ stored: StoredDelivery) throws(VerificationError) -> Event? {
        let lineage = stored.id == "cold" ? "cold" : "hot"
        if stored.id == "hot", isTalking.withLock({ $0 }) {
            let number = interruptions.withLock { count in
                count += 1
                return count
            }
            let before = TalkingStore.start - .seconds(60 * Int64(number))
            try? send(TalkingStore.event("interruption-\(number)", of: "hot", state: .active, at: before))
        }
        return TalkingStore.event(stored.id, of: lineage, state: .active, at: TalkingStore.start)
    }

    func send(_ event: Event) throws {
        let answer = Promise<Result<CommitResult, LedgerError>>()
        guard writer.submit(.event(event, receivedAt: event.signedAt, completion: { answer.fulfil($0) })) else {
            throw LedgerError.busy
        }
        _ = try answer.wait().get()
    }

    static func event(_ id: String, of lineage: String, state: ContractState, at date: Instant) -> Event {
        let key = ContractKey(provider: .apple, environment: .production, app: "com.example", lineage: lineage)
        let snapshot = Snapshot(
            state: state,
            product: "monthly",
            autoRenew: true,
            accessUntil: start + .seconds(30 * 86_400),
            signedAt: date
        )
        return Event(
            provider: .apple,
            environment: .production,
            app: key.app,
            id: id,
            type: "T",
            kind: .contractUpdated,
            signedAt: date,
            observation: Observation(contract: key, kind: .subscription, snapshot: snapshot),
            body: Array("{}".utf8)
        )
    }
}
