import Support
import TestSupport
import Testing

@testable import Domain
@testable import Ledger

@Suite(.blocking) struct OrderTests {
    @Test func sameRequestGivesTheSameOrder() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let request = OrderRequest(user: "42", product: "monthly", provider: .apple, kind: .subscription)
        let first = try ledger.order(request)
        #expect(first.isNew)
        let again = try ledger.order(request)
        #expect(again.order == first.order)
        #expect(!again.isNew)
        var other = request
        other.group = "premium"
        #expect(try ledger.order(other).order.token != first.order.token)
    }

    @Test func tokenBelongsToOneUser() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let token = OrderToken.random()
        let order = try ledger.order(OrderRequest(user: "42", product: "monthly", token: token))
        #expect(order.order.token == token)
        #expect(throws: OrderError.tokenTaken) {
            try ledger.order(OrderRequest(user: "43", product: "monthly", token: token))
        }
        #expect(try ledger.order(OrderRequest(user: "42", product: "monthly", token: token)).order == order.order)
    }

    @Test(arguments: LookAlike.all) func tokenIsNotGivenToALookAlike(_ pair: LookAlike) throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let token = OrderToken.random()
        _ = try ledger.order(OrderRequest(user: UserID(pair.one), product: "monthly", token: token))
        #expect(throws: OrderError.tokenTaken) {
            try ledger.order(OrderRequest(user: UserID(pair.other), product: "monthly", token: token))
        }
    }

    @Test(arguments: LookAlike.all) func purchaseIsNotShownToALookAlike(_ pair: LookAlike) throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let token = try ledger.order(OrderRequest(user: UserID(pair.one), product: "monthly")).order.token
        _ = try ledger.send(Fixture.subscription("e1", state: .active, token: token))
        #expect(try ledger.entitlements(UserID(pair.one)).isActive)
        #expect(try !ledger.entitlements(UserID(pair.other)).isActive)
        #expect(try ledger.missed(UserID(pair.other)).items.isEmpty)
        let claimed = try ledger.send(
            Fixture.subscription("e2", state: .active, token: token),
            claim: Claim(user: UserID(pair.other))
        )
        #expect(claimed.claim != .granted)
    }

    /// One token may serve for everything that a user buys: no purchase contradicts it.
    @Test func tokenOfSeveralProductsStatesOnlyWhatTheyShare() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let token = OrderToken.random()
        let first = OrderRequest(user: "42", product: "monthly", provider: .apple, group: "premium", token: token)
        let second = OrderRequest(user: "42", product: "news", provider: .apple, group: "news", token: token)
        _ = try ledger.order(first)
        let widened = try ledger.order(second).order
        #expect(widened.group == nil)
        #expect(widened.provider == .apple)
        for (id, group) in [("e1", "premium"), ("e2", "news")] {
            let event = Fixture.subscription(id, state: .active, token: token, group: group, key: Fixture.key(id))
            #expect(try ledger.send(event).outcome == .applied)
        }
    }

    /// The newest that its own user brought, whatever it came with.
    @Test func traceStaysWithTheOrder() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let traces = ["1", "2", "3"].compactMap { TraceID(String(repeating: $0, count: 32)) }
        var request = OrderRequest(user: "42", product: "monthly")
        request.trace = traces[0]
        let token = try ledger.order(request).order.token
        #expect(try ledger.send(Fixture.subscription("e1", state: .active, token: token)).trace == traces[0])
        request.trace = traces[1]
        let repeated = try ledger.order(request)
        #expect(repeated.order.token == token && !repeated.isNew)
        request.trace = nil
        #expect(try ledger.order(request).order.trace == traces[1])
        #expect(try ledger.send(Fixture.subscription("e2", state: .active, token: token)).trace == traces[1])
        let post = Fixture.subscription("e3", state: .active, token: token)
        #expect(try ledger.send(post, claim: Claim(user: "42", trace: traces[2])).trace == traces[2])
        let other = Fixture.subscription("e4", state: .active, token: token)
        _ = try ledger.send(other, claim: Claim(user: "43", trace: traces[0]))
        #expect(try ledger.order(request).order.trace == traces[2], "another user's does not count")
        #expect(try ledger.send(Fixture.subscription("e5", state: .active, key: Fixture.key("2"))).trace == nil)
    }

    @Test func orderClaimsEarlierEvents() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let token = OrderToken.random()
        #expect(try ledger.send(Fixture.subscription("e1", state: .active, token: token)).outcome == .unclaimed)
        let placed = try ledger.order(OrderRequest(user: "42", product: "monthly", token: token))
        let claim = try #require(try ledger.entries().entries.last)
        #expect(claim.notice.kind == .orderClaimed)
        #expect(claim.fragments.summary == ["paywall=success", "subscription_status=manage"])
        #expect(try ledger.missed("42", since: placed.since).items.map(\.position) == [claim.position])
        #expect(try ledger.entitlements("42").isActive)
        #expect(ledger.metrics.page().contains("paycast_unclaimed_contracts 0"))
    }

    @Test func orderDoesNotClaimContradictingEvents() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let token = OrderToken.random()
        _ = try ledger.send(Fixture.subscription("e1", state: .active, token: token))
        _ = try ledger.order(OrderRequest(user: "42", product: "news", group: "news", token: token))
        #expect(try ledger.entitlements("42").contracts.isEmpty)
    }

    /// A migrated lineage and a purchase of the same download carry no token; whichever comes first, both belong to the
    /// user.
    @Test(arguments: [false, true])
    func relativesFollow(orderFirst: Bool) throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let token = OrderToken.random()
        let request = OrderRequest(user: "42", product: "monthly", token: token)
        if orderFirst { _ = try ledger.order(request) }
        var events = [
            Fixture.subscription("e1", state: .expired, token: token, key: Fixture.key("1")),
            Fixture.subscription("e2", state: .active, minute: 1, key: Fixture.key("2")),
            Fixture.subscription("e3", state: .active, minute: 2, key: Fixture.key("3")),
        ]
        events[1].observation?.previousLineage = "1"
        events[1].observation?.account = "download"
        events[2].observation?.account = "download"
        for event in orderFirst ? events : events.reversed() { _ = try ledger.send(event) }
        if !orderFirst { _ = try ledger.order(request) }
        let held = try ledger.entitlements("42")
        #expect(Set(held.contracts.map(\.contract)) == ["1", "2", "3"])
        #expect(ledger.metrics.page().contains("paycast_unclaimed_contracts 0"))
    }
}
