import Domain
import LedgerInterface
import TestSupport
import Testing

@testable import LedgerSQL
@testable import Rules
@testable import SQLiteLedger

/// What is asked of a database, and how often.
@Suite struct LoadingTests {
    /// A list of contracts is one question, and one more for each contract that has further holders.
    @Test func onlySharedContractsAreAskedForTheirHolders() throws {
        let policy = AccessPolicy(sandboxUsers: .only([]), transfers: .share)
        var store = try SQLiteEngine(path: ":memory:").openRepository(policy: policy, streams: .standard)
        try store.begin()
        for number in 0..<20 {
            let event = Fixture.subscription("e\(number)", state: .active, key: Fixture.key("\(number)"))
            let users: [UserID] = number == 0 ? ["42", "43"] : ["42"]
            for user in users {
                let incoming = IncomingEvent(event, claim: Claim(user: user), receivedAt: Fixture.now)
                _ = try store.record(incoming, now: Fixture.now)
            }
        }
        try store.commit()
        try store.begin()
        let shares = try #require(store.statements.shares.prepared as? SQLiteStatement)
        let before = shares.runs
        _ = try store.rebroadcast(contracts: [], users: ["42"], now: Fixture.now)
        let questions = shares.runs - before
        #expect(questions == 1)
        let shared = try store.contract(row: 1)
        #expect(shared?.holders == ["42", "43"])
        try store.commit()
    }

    /// A step that asks for something goes on with the same replay, which is never copied.
    @Test func aReplayInMemoryReportsTheSame() throws {
        let policy = AccessPolicy(sandboxUsers: .only([]))
        var store = try TemporaryLedger.repository(policy)
        var memory = MemoryEngine(policy: policy)
        try store.begin()
        let keys = [Fixture.key("0"), Fixture.key("1")]
        let stored = (0..<6).map {
            Fixture.subscription("e\($0)", state: .active, minute: Int64($0), key: keys[$0 % 2])
        }
        for event in stored {
            _ = try store.record(IncomingEvent(event, receivedAt: Fixture.now), now: Fixture.now)
            memory.record(event)
        }
        var rebuilds = keys.compactMap { memory.rebuild(of: $0) }
        for index in rebuilds.indices {
            for event in stored { rebuilds[index].fold(event) }
        }
        // The second contract changes after it was read.
        let later = Fixture.subscription("e6", state: .cancelled, minute: 6, key: keys[1])
        _ = try store.record(IncomingEvent(later, receivedAt: Fixture.now), now: Fixture.now)
        memory.record(later)
        let batch = ReplayBatch(
            events: [Fixture.subscription("e7", state: .cancelled, minute: 7, key: keys[0])],
            rebuilds: rebuilds
        )
        let report = memory.replay(batch)
        #expect(report.changes.count == 2 && report.outdated == [keys[1]])
        let same = try store.replay(batch, isTrial: false, now: Fixture.now).value
        #expect(same == report)
        try store.commit()
    }

    @Test func transfersStayInTheirOrder() {
        var targets: [TransferTarget] = []
        let areNew = [5, 1, 9, 5, 3].map {
            targets.insert(TransferTarget(at: Instant(milliseconds: $0), user: "42"))
        }
        #expect(areNew == [true, true, true, false, true])
        #expect(targets.map(\.at.milliseconds) == [1, 3, 5, 9])
        #expect(targets.first(since: Instant(milliseconds: 4))?.at.milliseconds == 5)
        #expect(targets.first(since: Instant(milliseconds: 5))?.at.milliseconds == 5)
        #expect(targets.first(since: Instant(milliseconds: 10)) == nil)
    }
}

extension MemoryEngine {
    fileprivate mutating func record(_ event: Event) {
        _ = decide(at: Fixture.now) { unit throws(Missing) in
            _ = try unit.record(IncomingEvent(event, receivedAt: Fixture.now))
        }
    }

    fileprivate mutating func rebuild(of key: ContractKey) -> ContractRebuild? {
        var rebuild: ContractRebuild?
        _ = decide(at: Fixture.now) { unit throws(Missing) in
            guard let known = try unit.contract(key) else { return }
            let newest = try unit.newestEvent(of: key)
            rebuild = ContractRebuild(StoredContract(contract: known.contract, newest: newest))
        }
        return rebuild
    }

    fileprivate mutating func replay(_ batch: ReplayBatch) -> ReplayReport {
        var replay = ReplaySteps(batch)
        while !replay.isDone {
            _ = decide(at: Fixture.now) { unit throws(Missing) in try replay.advance(in: &unit) }
        }
        return replay.report
    }
}
