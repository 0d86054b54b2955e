import TestSupport
import Testing

@testable import Domain
@testable import Ledger

/// The rules know nothing of SQLite or PostgreSQL: a small engine in memory makes the same entries of the same histories.
@Suite struct EngineTests {
    /// In a transaction of several commands, the engine knows what the ones before loaded and changed; the engine in
    /// memory never does.
    @Test(arguments: TransferPolicy.allCases, [1, 20])
    func memoryMakesTheSameEntries(transfers: TransferPolicy, commands: Int) throws {
        let policy = AccessPolicy(sandboxUsers: .only([]), catalog: TruthLedger.catalog, transfers: transfers)
        let seed = UInt64.random(in: 1...1_000_000_000)
        for number in 0..<(TemporaryLedger.isInPostgres ? 3 : GeneratedCases.areWhole ? 25 : 8) {
            let history = HistoryWriter.history(seed: seed &+ UInt64(number))
            var generator = SeededGenerator(seed: history.seed)
            var store = try TemporaryLedger.repository(policy)
            let memory = MemoryEngine(policy: policy)
            for (index, (at, step)) in history.arrivals(using: &generator).enumerated() {
                if index % commands == 0 {
                    if index > 0 { try store.commit() }
                    try store.begin()
                }
                let entries = try store.entries { try $0.endAccess(now: at) } + store.take(step, at: at)
                let others = try memory.endAccess(at) + memory.take(step, at: at)
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

    @Test func aReplayInMemoryReportsTheSame() throws {
        let policy = AccessPolicy(sandboxUsers: .only([]))
        var store = try TemporaryLedger.repository(policy)
        let memory = MemoryEngine(policy: policy)
        try store.begin()
        let keys = [Fixture.key("0"), Fixture.key("1")]
        let stored = (0..<6).map {
            Fixture.subscription("e\($0)", state: .active, minute: Int64($0), key: keys[$0 % 2])
        }
        for event in stored {
            _ = try store.record(IncomingEvent(event, receivedAt: Fixture.now), now: Fixture.now)
            try memory.record(event)
        }
        var rebuilds = try keys.compactMap { try memory.rebuild(of: $0) }
        for index in rebuilds.indices {
            for event in stored { rebuilds[index].fold(event) }
        }
        // The second contract changes after it was read.
        let later = Fixture.subscription("e6", state: .cancelled, minute: 6, key: keys[1])
        _ = try store.record(IncomingEvent(later, receivedAt: Fixture.now), now: Fixture.now)
        try memory.record(later)
        let batch = ReplayBatch(
            events: [Fixture.subscription("e7", state: .cancelled, minute: 7, key: keys[0])],
            rebuilds: rebuilds
        )
        let report = try memory.replay(batch)
        #expect(report.changes.count == 2 && report.outdated == [keys[1]])
        let same = try store.replay(batch, isTrial: false, now: Fixture.now)
        #expect(same == report)
        try store.commit()
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
        try entries { store in try store.decide(at: now) { try $0.take(step) } }
    }
}

extension MemoryEngine {
    fileprivate func take(_ step: HistoryStep, at now: Instant) throws -> [Entry] {
        try decide(at: now) { try $0.take(step) }
    }

    fileprivate func endAccess(_ now: Instant) throws -> [Entry] {
        try ended(by: now).flatMap { key in try decide(at: now) { try $0.endAccess(of: key) } }
    }

    fileprivate func record(_ event: Event) throws {
        _ = try decide(at: Fixture.now) { _ = try $0.record(IncomingEvent(event, receivedAt: Fixture.now)) }
    }

    fileprivate func rebuild(of key: ContractKey) throws -> ContractRebuild? {
        var rebuild: ContractRebuild?
        _ = try decide(at: Fixture.now) { unit in
            guard let known = try unit.ledger.contract(key) else { return }
            let newest = try unit.ledger.newestEvent(of: key)
            rebuild = ContractRebuild(known.contract, newest: newest)
        }
        return rebuild
    }

    fileprivate func replay(_ batch: ReplayBatch) throws -> ReplayReport {
        try batch.replay { step in _ = try decide(at: Fixture.now, by: step) }
    }
}

extension UnitOfWork {
    fileprivate mutating func take(_ step: HistoryStep) throws {
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
