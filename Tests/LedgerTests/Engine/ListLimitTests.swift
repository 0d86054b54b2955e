import TestSupport
import Testing

@testable import Domain
@testable import Ledger

/// A buyer with more contracts than count: the newest ones are in no list, whoever decides about them.
@Suite struct ListLimitTests {
    private let policy = AccessPolicy(sandboxUsers: .only([]))
    private let tokens: [OrderToken] = [.random(), .random()]

    /// The first 200 are user 1's. The next one is user 2's, and counts only when the first has left the buyer.
    private var events: [Event] {
        let limit = ContractIndex.relatedLimit
        return (0..<limit).map { event("e\($0)", of: $0, token: tokens[0]) } + [
            event("other", of: limit, token: tokens[1], minute: 500),
            event("full", of: limit + 1, minute: 501),
            event("leaves", of: 0, token: tokens[0], minute: 502, account: "another"),
            event("free", of: limit + 2, minute: 503),
        ]
    }

    private func event(
        _ id: String,
        of number: Int,
        token: OrderToken? = nil,
        minute: Int64 = 0,
        account: String = "buyer"
    ) -> Event {
        var event = Fixture.subscription(
            id,
            state: .active,
            minute: minute,
            token: token,
            key: Fixture.key("\(number)")
        )
        event.observation?.account = account
        return event
    }

    private var requests: [OrderRequest] {
        zip(["1", "2"] as [UserID], tokens).map { OrderRequest(user: $0, product: "monthly", token: $1) }
    }

    @Test(arguments: [1, 1000])
    func oneTransactionDecidesAsManyDo(commands: Int) throws {
        var store = try TemporaryLedger.repository(policy)
        var owners: [String: UserID?] = [:]
        try store.begin()
        for request in requests { _ = try store.place(request, now: Fixture.now) }
        for (index, event) in events.enumerated() {
            if index % commands == 0 {
                try store.commit()
                try store.begin()
            }
            let incoming = IncomingEvent(event, receivedAt: Fixture.now)
            note(try store.record(incoming, now: Fixture.now), in: &owners)
        }
        try store.commit()
        check(owners)
    }

    @Test func memoryDecidesTheSame() throws {
        let memory = MemoryEngine(policy: policy)
        var owners: [String: UserID?] = [:]
        for request in requests {
            _ = try memory.decide(at: Fixture.now) { unit in
                _ = try unit.place(request, token: request.token ?? tokens[0])
            }
        }
        for event in events {
            let entries = try memory.decide(at: Fixture.now) { unit in
                _ = try unit.record(IncomingEvent(event, receivedAt: Fixture.now))
            }
            note(entries, in: &owners)
        }
        check(owners)
    }

    private func note(_ entries: [Entry], in owners: inout [String: UserID?]) {
        for entry in entries {
            owners[entry.notice.event ?? "moved \(entry.notice.contract ?? "")"] = entry.notice.user
        }
    }

    private func check(_ owners: [String: UserID?]) {
        #expect(owners.count == events.count)
        #expect(owners["e0"] == .some("1") && owners["e\(ContractIndex.relatedLimit - 1)"] == .some("1"))
        #expect(owners["other"] == .some("2"))
        #expect(owners["full"] == .some("1"))
        #expect(owners["free"] == .some("2"))
    }
}
