import TestSupport
import Testing

@testable import Domain
@testable import Ledger

/// One command concerns hundreds of a buyer's contracts. Its consequences are decided once: each contract changes hands
/// once, and each user gets one message.
@Suite struct ManyContractsTests {
    private let policy = AccessPolicy(sandboxUsers: .only([]))

    /// A subscription of Stripe with many items, each a contract of its own.
    private func subscription(_ id: String, token: OrderToken, items: Int, minute: Int64) -> Event {
        let key = Fixture.key("sub_\(id)", provider: .stripe)
        var event = Fixture.subscription("\(id)-\(minute)", state: .active, minute: minute, token: token, key: key)
        event.observation?.account = "cus_1"
        event.isWhole = true
        event.further = (1..<items).map { number in
            var line = Fixture.subscription("", state: .active, minute: minute, product: "item\(number)", key: key)
            line.observation?.contract = key.line("item\(number)")
            line.observation?.account = "cus_1"
            return line.observation
        }.compactMap(\.self)
        return event
    }

    @Test func aBuyerOfManyItemsIsNamedAnew() throws {
        var store = try TemporaryLedger.repository(policy)
        let tokens: [OrderToken] = [.random(), .random()]
        try store.begin()
        for (user, token) in zip(["1", "2"] as [UserID], tokens) {
            _ = try store.place(OrderRequest(user: user, product: "monthly", token: token), now: Fixture.now)
        }
        for id in ["a", "b"] { _ = try record(subscription(id, token: tokens[0], items: 100, minute: 0), in: &store) }
        let entries = try record(subscription("a", token: tokens[1], items: 100, minute: 1), in: &store)
        #expect(Set(entries.filter { $0.notice.user == "2" }.compactMap(\.notice.contract)).count >= 100)
        check(entries, reach: ["1", "2"])
        try store.commit()
    }

    @Test func anOrderClaimsWhatItsTokenBought() throws {
        var store = try TemporaryLedger.repository(policy)
        let token = OrderToken.random()
        // The tests' partitions in PostgreSQL are small.
        let count = TemporaryLedger.isInPostgres ? 300 : ContractIndex.boughtLimit
        try store.begin()
        for number in 0..<count {
            _ = try record(
                Fixture.subscription("e\(number)", state: .active, token: token, key: Fixture.key("\(number)")),
                in: &store
            )
        }
        let entries = try store.place(
            OrderRequest(user: "1", product: "monthly", token: token),
            now: Fixture.now
        )
        #expect(entries.count == count && entries.allSatisfy { $0.notice.user == "1" })
        check(entries, reach: ["1"])
        try store.commit()
    }

    @Test func aTransferMovesAllThatTheStoreNames() throws {
        var store = try TemporaryLedger.repository(policy)
        let count = 300
        try store.begin()
        for number in 0..<count {
            let key = Fixture.key("\(number)", provider: .revenuecat)
            var event = Fixture.subscription("e\(number)", state: .active, key: key)
            event.observation?.user = "1"
            _ = try record(event, in: &store)
        }
        var transfer = Fixture.event("t", kind: .contractTransferred, observation: nil)
        transfer.provider = .revenuecat
        transfer.signedAt = Fixture.now + .seconds(60)
        transfer.transfer = Transfer(from: ["1"], to: "2")
        let entries = try record(transfer, in: &store)
        #expect(entries.count == count && entries.allSatisfy { $0.notice.user == "2" })
        check(entries, reach: ["1", "2"])
        try store.commit()
    }

    /// Nobody owns what the buyer has: each event asks all of them for an owner.
    @Test func aBuyerWhomNobodyKnowsCostsOneSearch() throws {
        var store = try TemporaryLedger.repository(policy)
        try store.begin()
        for number in 0..<300 {
            var event = Fixture.subscription("e\(number)", state: .active, key: Fixture.key("\(number)"))
            event.observation?.account = "buyer"
            let entries = try record(event, in: &store)
            #expect(entries.map(\.notice.outcome) == [.unclaimed])
        }
        try store.commit()
    }

    private func record(_ event: Event, in store: inout LedgerRepository) throws -> [Entry] {
        try store.record(IncomingEvent(event, receivedAt: Fixture.now), now: Fixture.now)
    }

    /// One message for each user.
    private func check(_ entries: [Entry], reach users: Set<String>) {
        let messages = entries.flatMap(\.fragments).map(\.stream)
        let told = entries.map { Set($0.fragments.map(\.stream)) }
        for stream in Set(messages) { #expect(told.filter { $0.contains(stream) }.count == 1) }
        #expect(Set(messages).count == users.count)
    }
}
