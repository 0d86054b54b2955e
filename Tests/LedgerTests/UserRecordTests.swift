import Ledger
import Support
import TestSupport
import Testing

@testable import Domain

/// All contracts and orders of a user, and the outcome of an order.
@Suite(.blocking) struct UserRecordTests {
    @Test func anOrderIsFollowedToItsPurchase() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let token = try ledger.order(OrderRequest(user: "42", product: "monthly")).order.token
        #expect(try ledger.orderRecord(token)?.state == .open)
        #expect(try ledger.orderRecord(.random()) == nil)
        _ = try ledger.send(Fixture.subscription("e0", state: .pending, token: token))
        #expect(try ledger.orderRecord(token)?.state == .pending)
        _ = try ledger.send(Fixture.subscription("e1", state: .active, minute: 1, token: token))
        let record = try #require(try ledger.orderRecord(token))
        #expect(record.state == .fulfilled && record.order.user == "42")
        let purchase = try #require(record.purchases.first)
        #expect(purchase.event?.id == "e0" && purchase.user == "42" && purchase.state == .active)
        #expect(purchase.contract == Fixture.key())
    }

    /// Access that is over counts as over before its end is committed, as in `entitlements`.
    @Test func statesAreOfNow() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let token = try ledger.order(OrderRequest(user: "42", product: "monthly")).order.token
        _ = try ledger.send(Fixture.subscription("e1", state: .cancelled, until: .seconds(600), token: token))
        ledger.clock.set(to: Fixture.now + .seconds(86_400))
        #expect(try ledger.orderRecord(token)?.purchases.first?.state == .expired)
        #expect(try ledger.record("42").contracts.first?.summary.state == .expired)
        #expect(try !ledger.record("42").isActive)
    }

    @Test func whatContradictsAnOrderDoesNotFulfilIt() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let token = try ledger.order(OrderRequest(user: "42", product: "p", provider: .google)).order.token
        for number in 0..<12 {
            _ = try ledger.send(
                Fixture.subscription("e\(number)", state: .active, token: token, key: Fixture.key("\(number)"))
            )
        }
        let record = try #require(try ledger.orderRecord(token))
        #expect(record.state == .quarantined && record.purchases.isEmpty)
        #expect(record.contradictions.map(\.id) == (2..<12).reversed().map { "e\($0)" })
    }

    /// The purchase comes first, then an order that it contradicts.
    @Test func anOrderThatComesTooLateMayContradict() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let token = OrderToken.random()
        _ = try ledger.send(Fixture.subscription("e1", state: .active, token: token))
        _ = try ledger.order(OrderRequest(user: "42", product: "p", provider: .google, token: token))
        #expect(try ledger.orderRecord(token)?.state == .quarantined)
        #expect(try ledger.record("42").contracts.isEmpty)
    }

    @Test func theRecordHoldsWhatEntitlementsHold() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let token = try ledger.order(OrderRequest(user: "42", product: "monthly")).order.token
        _ = try ledger.send(Fixture.subscription("e1", state: .active, token: token))
        _ = try ledger.send(Fixture.subscription("e2", state: .expired, token: token, key: Fixture.key("2")))
        _ = try ledger.send(
            Fixture.subscription("e3", state: .active, token: token, key: Fixture.key("3", environment: .sandbox))
        )
        _ = try ledger.send(Fixture.purchase("e4", kind: .consumable, product: "coins", token: token))
        let record = try ledger.record("42")
        let entitlements = try ledger.entitlements("42")
        #expect(record.contracts.map(\.summary) == entitlements.contracts)
        #expect(record.contracts.map(\.summary.contract) == ["1", "2", "one-time-coins", "3"])
        #expect(record.isActive && record.head == entitlements.since)
        let contracts = record.contracts.map(\.tracked)
        #expect(contracts.allSatisfy { $0.contract.token?.value == token && $0.user == "42" })
        #expect(contracts.allSatisfy { $0.key.app == "com.example" })
        #expect(contracts.first?.contract.snapshot?.snapshot.signedAt == Fixture.now)
    }

    @Test func theNewestOrdersComeFirst() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        for number in 0..<120 {
            ledger.clock.set(to: TemporaryLedger.start + .seconds(Int64(number)))
            _ = try ledger.order(OrderRequest(user: "42", product: "p\(number)"))
        }
        let orders = try ledger.record("42").orders
        #expect(orders.map(\.order.product) == (20..<120).reversed().map { "p\($0)" })
        #expect(orders.allSatisfy { $0.state == .open })
    }
}
