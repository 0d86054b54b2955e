import Ledger
import TestSupport
import Testing

@testable import Domain

/// What belongs to somebody else when a user is erased.
@Suite struct ErasureOfOthersTests {
    private static let now = Fixture.now
    private static let token = OrderToken.random()

    /// The webhook of a purchase with a new order came first, from a store account that was an erased user's.
    @Test func aNewOrderClaimsWhatCameBeforeIt() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        _ = try ledger.send(ErasureOfOthersTests.purchase("e1"), claim: Claim(user: "42"))
        try ledger.erase("42")
        let later = OrderToken.random()
        #expect(try ledger.send(ErasureOfOthersTests.purchase("e2", minute: 1, token: later)).outcome == .unclaimed)
        _ = try ledger.order(OrderRequest(user: "43", product: "monthly", token: later))
        #expect(try ledger.entitlements("43").isActive)
        _ = try ledger.send(ErasureOfOthersTests.purchase("e3", minute: 2))
        #expect(try ledger.userEvents("43").events.first?.entry.notice.event == "e3")
    }

    /// Google refunds a purchase that nobody acknowledges.
    @Test func jobsOfThePresentOwnerStay() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        var first = ErasureOfOthersTests.purchase("e1")
        first.jobs = ErasureOfOthersTests.jobs
        _ = try ledger.send(first, claim: Claim(user: "42"))
        _ = try ledger.send(ErasureOfOthersTests.purchase("e2", minute: 1), claim: Claim(user: "43"))
        #expect(try ledger.entitlements("43").isActive)
        try ledger.erase("42")
        // A staging server would get an empty body.
        #expect(try ledger.jobs(dueAt: Fixture.now + .seconds(600)).map(\.job.kind) == [.acknowledge])
        try ledger.erase("43")
        #expect(try ledger.jobs(dueAt: Fixture.now + .seconds(600)).isEmpty)
    }

    /// The order was the erased user's, and the contract is somebody else's by a claim.
    @Test func tokensOfTheUsersOrdersGo() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let token = ErasureOfOthersTests.token
        _ = try ledger.order(OrderRequest(user: "42", product: "monthly", token: token))
        _ = try ledger.send(ErasureOfOthersTests.purchase("e1", token: token))
        _ = try ledger.send(ErasureOfOthersTests.purchase("e2", minute: 1), claim: Claim(user: "43"))
        try ledger.erase("42")
        #expect(try ledger.entitlements("43").isActive)
        #expect(try ledger.record("43").contracts.map(\.tracked.contract.token) == [nil])
    }

    /// The purchase was charged with an order of hers, and is his by a claim. The store says it again with each statement.
    @Test func chargesOfThePresentOwnerLoseTheOrder() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let (token, own) = (ErasureOfOthersTests.token, OrderToken.random())
        _ = try ledger.order(OrderRequest(user: ErasureTests.user, product: "monthly", token: token))
        _ = try ledger.order(OrderRequest(user: "43", product: "monthly", token: own))
        for (minute, token) in [token, token, own].enumerated() {
            let event = ErasureOfOthersTests.charged("e\(minute)", minute: Int64(minute), token: token)
            _ = try ledger.send(event)
        }
        _ = try ledger.send(ErasureOfOthersTests.charged("e3", minute: 3), claim: Claim(user: "43"))
        func orders() throws -> [OrderToken?] { try ledger.purchases(of: "43").map(\.charge.terms?.order) }
        #expect(try orders() == [nil, own, token, token])
        try ledger.erase(ErasureTests.user)
        #expect(try orders() == [nil, own, nil, nil])
        let all = try ledger.reader.answer { try $0.purchases(since: Fixture.now, after: (0, ""), limit: 10) }
        #expect(!"\(all)".contains(token.description))
        var again = ErasureOfOthersTests.charged("e4", minute: 1, token: token)
        again.observation?.charges[0].terms?.price = 9990
        _ = try ledger.send(again)
        #expect(try orders() == [nil, own, nil, nil])
        #expect(try ledger.purchases(of: "43").map(\.charge.terms?.price) == [nil, nil, 9990, nil])
    }

    /// The erased user's phone had posted what somebody else has bought.
    @Test func postsThatNobodyAskedForGo() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let token = ErasureOfOthersTests.token
        _ = try ledger.order(OrderRequest(user: "42", product: "monthly", token: token))
        let posted = ErasureOfOthersTests.purchase("e1", token: token)
        let claim = Claim(user: ErasureTests.user, isAsked: false)
        #expect(try ledger.send(posted, claim: claim).claim == .untouched)
        #expect(try ErasureTests.traces(in: ledger) != [])
        try ledger.erase(ErasureTests.user)
        #expect(try ledger.entitlements("42").isActive)
        #expect(try ErasureTests.traces(in: ledger) == [])
    }

    /// RevenueCat names users, and says who lost what to whom.
    @Test func transfersOfErasedUsersAreSettled() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let key = Fixture.key("1", provider: .revenuecat)
        var bought = Fixture.subscription("e1", state: .active, key: key)
        bought.observation?.user = ErasureTests.user
        _ = try ledger.send(bought)
        var transfer = Fixture.event("e2", kind: .contractTransferred, observation: nil)
        transfer.provider = .revenuecat
        transfer.signedAt = Fixture.now + .seconds(60)
        transfer.transfer = Transfer(from: [ErasureTests.user], to: "43")
        transfer.body = Array("erin@example.com".utf8)
        _ = try ledger.send(transfer)
        #expect(try ledger.entitlements("43").isActive)
        try ledger.erase(ErasureTests.user)
        #expect(try ErasureTests.traces(in: ledger) == [])
        // A statement about something else makes the ledger look again.
        var renewal = Fixture.subscription("e3", state: .active, minute: 2, until: .seconds(60 * 86_400), key: key)
        renewal.observation?.account = "x"
        _ = try ledger.send(renewal)
        #expect(try ledger.entitlements("43").isActive)
        // Back to the erased user: nobody is told, and nothing of it is kept.
        transfer.id = "e4"
        transfer.signedAt = Fixture.now + .seconds(180)
        transfer.transfer = Transfer(from: ["43"], to: ErasureTests.user)
        #expect(try ledger.send(transfer).outcome == .ignored)
        #expect(try ErasureTests.traces(in: ledger) == [])
    }
    private static let jobs = [
        Job(kind: .acknowledge, provider: .apple, environment: .production, app: "app", subject: "token"),
        Job(kind: .forward, provider: .apple, environment: .production, app: "app", subject: "https://stage"),
    ]

    private static func charged(_ id: String, minute: Int64, token: OrderToken? = nil) -> Event {
        var event = purchase(id, minute: minute, token: token)
        guard let transaction = event.observation?.transaction else { return event }
        event.observation?.charges = [Charge(id: transaction.id, terms: ChargeTerms(transaction, order: token))]
        return event
    }

    private static func purchase(_ id: String, minute: Int64 = 0, token: OrderToken? = nil) -> Event {
        var event = Fixture.subscription(id, state: .active, minute: minute, token: token)
        event.observation?.account = "buyer"
        event.observation?.isPurchase = token != nil
        event.observation?.transaction = Transaction(
            id: "t\(minute)",
            product: "monthly",
            purchasedAt: now + .seconds(60 * minute),
            expiresAt: now + .seconds(30 * 86_400),
            signedAt: now + .seconds(60 * minute)
        )
        return event
    }
}
