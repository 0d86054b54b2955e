import Domain
import LedgerInterface
import TestSupport
import Testing

@testable import LedgerSQL
@testable import Rules
@testable import SQLiteLedger

/// The rules know nothing of SQLite or PostgreSQL: a small engine in memory makes the same entries of the same histories.
@Suite struct EngineTests {
    /// In a transaction of several commands, the engine knows what the ones before loaded and changed; the engine in
    /// memory never does.
    @Test(arguments: TransferPolicy.allCases, [1, 20])
    func memoryMakesTheSameEntries(transfers: TransferPolicy, commands: Int) throws {
        let policy = AccessPolicy(sandboxUsers: .only([]), catalog: TruthLedger.catalog, transfers: transfers)
        let seed = UInt64.random(in: 1...1_000_000_000)
        for number in 0..<(TemporaryLedger.isInPostgres ? 3 : 25) {
            let history = HistoryWriter.history(seed: seed &+ UInt64(number))
            var generator = SeededGenerator(seed: history.seed)
            var store = try TemporaryLedger.repository(policy)
            var memory = MemoryEngine(policy: policy)
            for (index, (at, step)) in history.arrivals(using: &generator).enumerated() {
                if index % commands == 0 {
                    if index > 0 { try store.commit() }
                    try store.begin()
                }
                let entries = try store.endAccess(now: at).entries + store.take(step, at: at)
                let others = memory.endAccess(at) + memory.take(step, at: at)
                try #require(StepOutcome(entries) == StepOutcome(others), "seed \(history.seed), step \(index)")
            }
        }
    }
}

extension EngineTests {
    /// What a step makes, whatever order its related contracts came in.
    private struct StepOutcome: Equatable {
        var last: Int64?
        var entries: [String]

        init(_ entries: [Entry]) {
            last = entries.last?.position
            self.entries = entries.map { "\($0.notice) \($0.fragments.map(\.described).sorted())" }.sorted()
        }
    }

    /// A buyer's contracts all follow one order. Each question of a decision begins it again, so it must ask for all at
    /// once.
    @Test func anOrderThatMovesManyContractsIsDecidedInFewAttempts() throws {
        var memory = MemoryEngine(policy: AccessPolicy(sandboxUsers: .only([])))
        let token = OrderToken.random()
        for number in 0..<60 {
            let key = Fixture.key("\(number)")
            var event = Fixture.subscription("e\(number)", state: .active, token: number == 0 ? token : nil, key: key)
            event.observation?.account = "buyer"
            let incoming = IncomingEvent(event, receivedAt: Fixture.now)
            _ = memory.decide(at: Fixture.now) { unit throws(Missing) in _ = try unit.record(incoming) }
        }
        let request = OrderRequest(user: "42", product: "monthly", token: token)
        let entries = memory.decide(at: Fixture.now) { unit throws(Missing) in
            _ = try unit.place(request, token: token)
        }
        #expect(entries.count == 60)
        #expect(memory.attempts < 12)
    }
}

extension Fragment {
    /// Members of a dictionary have no order.
    fileprivate var described: String {
        guard case .template(let name, let values) = content else { return "\(self)" }
        return "\(stream) \(action) \(target ?? "") \(name) \(values.sorted { $0.key < $1.key })"
    }
}

extension LedgerRepository {
    fileprivate mutating func take(_ step: HistoryStep, at now: Instant) throws -> [Entry] {
        try decide(at: now) { unit throws(Missing) in try unit.take(step) }.entries
    }
}

extension MemoryEngine {
    fileprivate mutating func take(_ step: HistoryStep, at now: Instant) -> [Entry] {
        decide(at: now) { unit throws(Missing) in try unit.take(step) }
    }

    fileprivate mutating func endAccess(_ now: Instant) -> [Entry] {
        var entries: [Entry] = []
        for key in ended(by: now) {
            entries += decide(at: now) { unit throws(Missing) in try unit.endAccess(of: key) }
        }
        return entries
    }
}

extension UnitOfWork {
    fileprivate mutating func take(_ step: HistoryStep) throws(Missing) {
        switch step.content {
        case .order(let order):
            let request = OrderRequest(user: order.user, product: order.product, token: order.token)
            _ = try place(request, token: order.token)
        case .event(let event): _ = try record(IncomingEvent(event, receivedAt: now))
        case .read(let make): _ = try record(IncomingEvent(make(now), receivedAt: now))
        case .post(let event, let claim): _ = try record(IncomingEvent(event, claim: claim, receivedAt: now))
        }
    }
}
