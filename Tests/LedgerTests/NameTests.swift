import Ledger
import TestSupport
import Testing

@testable import Domain

/// Kinds of events that depend on the state before them.
@Suite(.blocking) struct NameTests {
    private static let key = Fixture.key("token.1", provider: .google)

    private func event(_ id: String, kind: EventKind, state: ContractState, minute: Int64, token: OrderToken)
        -> Event
    {
        var event = Fixture.subscription(id, state: state, minute: minute, token: token, group: nil, key: Self.key)
        event.kind = kind
        return event
    }

    private func kinds(_ events: [Event], in ledger: TemporaryLedger) throws -> [EventKind] {
        let positions = try events.map { try ledger.send($0).cursor.position }
        let entries = try ledger.entries().entries
        return positions.compactMap { position in entries.first { $0.position == position }?.notice.kind }
    }

    /// Row 22: Google sends the same notification for the end of a pause and for a recovered payment.
    @Test func pauseIsOver() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let token = OrderToken.random()
        let kinds = try kinds(
            [
                event("1", kind: .subscriptionStarted, state: .active, minute: 0, token: token),
                event("2", kind: .paused, state: .paused, minute: 1, token: token),
                event("3", kind: .subscriptionRecovered, state: .active, minute: 2, token: token),
                event("4", kind: .billingRetry, state: .inBillingRetry, minute: 3, token: token),
                event("5", kind: .subscriptionRecovered, state: .active, minute: 4, token: token),
            ],
            in: ledger
        )
        #expect(kinds == [.subscriptionStarted, .paused, .resumed, .billingRetry, .subscriptionRecovered])
    }

    /// Row 35: the token arrives with another account.
    @Test func contractIsAnotherUsers() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let first = OrderToken.random()
        let second = OrderToken.random()
        for (user, token) in [("1" as UserID, first), ("2", second)] {
            _ = try ledger.order(OrderRequest(user: user, product: "monthly", token: token))
        }
        let kinds = try kinds(
            [
                event("1", kind: .subscriptionStarted, state: .active, minute: 0, token: first),
                event("2", kind: .subscriptionRenewed, state: .active, minute: 1, token: second),
            ],
            in: ledger
        )
        #expect(kinds == [.subscriptionStarted, .contractTransferred])
        #expect(try ledger.entitlements("1").contracts.isEmpty)
        #expect(try ledger.entitlements("2").isActive)
    }
}
