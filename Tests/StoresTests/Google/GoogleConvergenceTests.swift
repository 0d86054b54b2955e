import Domain
import Simulator
import TestSupport
import Testing

@testable import Stores

/// Pub/Sub promises no order, and delivers some messages twice.
@Suite struct GoogleConvergenceTests {
    static let scenarios = [
        ["SUBSCRIPTION_PURCHASED/pending", "SUBSCRIPTION_PURCHASED", "SUBSCRIPTION_RENEWED", "SUBSCRIPTION_CANCELED"],
        [
            "4", "SUBSCRIPTION_IN_GRACE_PERIOD", "SUBSCRIPTION_ON_HOLD", "SUBSCRIPTION_RECOVERED",
            "VOIDED_PURCHASE/past",
        ],
        ["4", "11", "SUBSCRIPTION_PAUSED", "SUBSCRIPTION_RECOVERED", "SUBSCRIPTION_REVOKED"],
        ["4", "SUBSCRIPTION_PURCHASED/upgrade", "SUBSCRIPTION_RENEWED", "SUBSCRIPTION_EXPIRED"],
        ["4", "SUBSCRIPTION_PURCHASED/pending_upgrade", "SUBSCRIPTION_PENDING_PURCHASE_CANCELED"],
    ]

    @Test(arguments: scenarios) func orderDoesNotMatter(_ scenario: [String]) throws {
        var inOrder = try GoogleTimeline()
        let events = try scenario.map { try inOrder.say($0).event }
        try inOrder.expectSameContracts(inEveryOrderOf: events)
    }

    @Test(arguments: [
        ["ONE_TIME_PRODUCT_PURCHASED/pending", "ONE_TIME_PRODUCT_PURCHASED", "VOIDED_PURCHASE"],
        ["ONE_TIME_PRODUCT_PURCHASED/pending", "ONE_TIME_PRODUCT_CANCELED"],
    ]) func purchasesConvergeToo(_ scenario: [String]) throws {
        var inOrder = try GoogleTimeline(Self.lifetime)
        let events = try scenario.map { try inOrder.say($0).event }
        try inOrder.expectSameContracts(inEveryOrderOf: events)
    }

    struct TakenBack {
        var name: String
        var words: [String]
        var state: ContractState
    }

    /// Google says `EXPIRED` of a revoked subscription as well, before or after; each order is read as it comes.
    @Test(arguments: [
        TakenBack(name: "revoked, then expired", words: ["12", "13"], state: .revoked),
        TakenBack(name: "expired, then revoked", words: ["13", "12"], state: .revoked),
        TakenBack(name: "revoked twice", words: ["12", "13", "12", "13"], state: .revoked),
        TakenBack(name: "expired only", words: ["13", "13"], state: .expired),
        TakenBack(name: "bought anew in between", words: ["12", "2", "13"], state: .expired),
    ]) func endIsCalledAlikeInEveryOrder(_ end: TakenBack) throws {
        var inOrder = try GoogleTimeline()
        var events = [try inOrder.say("4").event]
        for word in end.words { events.append(try inOrder.say(word).event) }
        #expect(inOrder.contracts.values.first?.status(at: inOrder.now)?.state == end.state, "\(end.name)")
        try inOrder.expectSameContracts(inEveryOrderOf: events)
    }

    /// Google goes on to say `PURCHASED` of some purchases that were voided.
    @Test func whatWasTakenBackStaysSo() throws {
        var timeline = try GoogleTimeline(Self.lifetime)
        try timeline.say("ONE_TIME_PRODUCT_PURCHASED")
        let void = try timeline.event("VOIDED_PURCHASE")
        timeline.now = timeline.now + .seconds(60)
        let again = try timeline.event("ONE_TIME_PRODUCT_PURCHASED")
        for order in [[void, again], [again, void]] {
            var other = timeline
            for event in order { try other.take(event) }
            #expect(other.contracts.values.first?.status(at: other.now)?.state == .revoked)
        }
    }

    /// However late it is read, and whatever a reading without it said before.
    @Test func endIsDatedByTheVoid() throws {
        var timeline = try GoogleTimeline(Self.lifetime)
        try timeline.say("ONE_TIME_PRODUCT_PURCHASED")
        let (voidedAt, delivery) = (timeline.now, try timeline.delivery("VOIDED_PURCHASE"))
        let notification = GoogleNotification(delivery.body)
        let document = try #require(delivery.documents.first?.json)
        timeline.now = timeline.now + .seconds(86_400)
        let subject = try #require(notification.subject)
        let purchase = try #require(timeline.purchase(document, of: subject))
        try timeline.take(purchase.statement(body: [], id: "statement"))
        #expect(timeline.contracts.values.first?.status(at: timeline.now)?.state == .revoked)
        try timeline.take(notification.event(GoogleReading(purchase: purchase), body: [], now: timeline.now))
        #expect(timeline.contracts.values.first?.transaction?.transaction.revokedAt == voidedAt)
    }

    /// The old purchase is still the valid one, and the page shows it.
    @Test func droppedChangeOfPlanReplacesNothing() throws {
        var timeline = try GoogleTimeline()
        for words in Self.scenarios[4] { try timeline.say(words) }
        #expect(timeline.contracts.count == 2)
        #expect(timeline.entitlements.main.winner?.contract.lineage == "token.1" && timeline.entitlements.isActive)
    }

    @Test func replacedPurchaseGivesNoAccess() throws {
        var timeline = try GoogleTimeline()
        try timeline.say("4")
        try timeline.say("SUBSCRIPTION_PURCHASED/upgrade")
        #expect(timeline.entitlements.ranked.map(\.status.product) == ["paycast.pro.annual"])
    }

    private static let lifetime = SimulatedSubscription(
        product: "paycast.lifetime",
        kind: .nonConsumable,
        lineage: "token.1"
    )
}
