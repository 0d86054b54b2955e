import Domain
import TestSupport
import Testing

@testable import Ledger

/// What an event is called where only the state before it tells.
@Suite(.timeLimit(.minutes(10))) struct NameTests {
    private static let key = Stories.key("token.1", provider: .google)

    private func says(_ id: String, _ kind: EventKind, _ state: ContractState, minute: Int64, _ token: OrderToken)
        -> Event
    {
        var event = Stories.subscription(id, state, minute: minute, token: token, group: nil, key: Self.key)
        event.kind = kind
        return event
    }

    private func kinds(_ events: [Event], _ ledger: TemporaryLedger) throws -> [EventKind] {
        let positions = try events.map { try ledger.send($0).cursor.position }
        let entries = try ledger.entries().entries
        return positions.compactMap { position in entries.first { $0.position == position }?.notice.kind }
    }

    /// Row 22: Google says the same of a pause that is over and of a payment that came.
    @Test func pauseIsOver() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let token = OrderToken.random()
        let kinds = try kinds(
            [
                says("1", .subscriptionStarted, .active, minute: 0, token),
                says("2", .paused, .paused, minute: 1, token),
                says("3", .subscriptionRecovered, .active, minute: 2, token),
                says("4", .billingRetry, .inBillingRetry, minute: 3, token),
                says("5", .subscriptionRecovered, .active, minute: 4, token),
            ],
            ledger
        )
        #expect(kinds == [.subscriptionStarted, .paused, .resumed, .billingRetry, .subscriptionRecovered])
    }

    /// Row 35: the token is seen with another account.
    @Test func contractIsAnotherUsers() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let (first, second) = (OrderToken.random(), OrderToken.random())
        for (user, token) in [("1" as UserID, first), ("2", second)] {
            _ = try ledger.order(OrderRequest(user: user, product: "monthly", token: token))
        }
        let kinds = try kinds(
            [
                says("1", .subscriptionStarted, .active, minute: 0, first),
                says("2", .subscriptionRenewed, .active, minute: 1, second),
            ],
            ledger
        )
        #expect(kinds == [.subscriptionStarted, .contractTransferred])
        #expect(try ledger.entitlements("1").entitlements.isEmpty)
        #expect(try ledger.entitlements("2").isActive)
    }
}
