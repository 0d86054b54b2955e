import Domain
import GoogleStore
import Simulator
import TestSupport
import Testing

/// Pub/Sub promises no order, and delivers some messages twice.
@Suite(.timeLimit(.minutes(10))) struct GoogleConvergenceTests {
    static let lives = [
        ["SUBSCRIPTION_PURCHASED/pending", "SUBSCRIPTION_PURCHASED", "SUBSCRIPTION_RENEWED", "SUBSCRIPTION_CANCELED"],
        [
            "4", "SUBSCRIPTION_IN_GRACE_PERIOD", "SUBSCRIPTION_ON_HOLD", "SUBSCRIPTION_RECOVERED",
            "VOIDED_PURCHASE/past",
        ],
        ["4", "11", "SUBSCRIPTION_PAUSED", "SUBSCRIPTION_RECOVERED", "SUBSCRIPTION_REVOKED"],
        ["4", "SUBSCRIPTION_PURCHASED/upgrade", "SUBSCRIPTION_RENEWED", "SUBSCRIPTION_EXPIRED"],
        ["4", "SUBSCRIPTION_PURCHASED/pending_upgrade", "SUBSCRIPTION_PENDING_PURCHASE_CANCELED"],
    ]

    @Test(arguments: lives) func orderDoesNotMatter(_ life: [String]) throws {
        var told = try GoogleStory()
        let events = try life.map { try told.say($0).event }
        try converges(events, told)
    }

    @Test(arguments: [
        ["ONE_TIME_PRODUCT_PURCHASED/pending", "ONE_TIME_PRODUCT_PURCHASED", "VOIDED_PURCHASE"],
        ["ONE_TIME_PRODUCT_PURCHASED/pending", "ONE_TIME_PRODUCT_CANCELED"],
    ]) func purchasesConvergeToo(_ life: [String]) throws {
        var told = try GoogleStory(Self.lifetime)
        try converges(try life.map { try told.say($0).event }, told)
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
        var told = try GoogleStory()
        var events = [try told.say("4").event]
        for word in end.words { events.append(try told.say(word).event) }
        #expect(told.contracts.values.first?.status(at: told.now)?.state == end.state, "\(end.name)")
        try converges(events, told)
    }

    /// Google goes on to say `PURCHASED` of some purchases that were voided.
    @Test func whatWasTakenBackStaysSo() throws {
        var story = try GoogleStory(Self.lifetime)
        try story.say("ONE_TIME_PRODUCT_PURCHASED")
        let void = try story.event("VOIDED_PURCHASE")
        story.now = story.now + .seconds(60)
        let again = try story.event("ONE_TIME_PRODUCT_PURCHASED")
        for order in [[void, again], [again, void]] {
            var other = story
            for event in order { try other.take(event) }
            #expect(other.contracts.values.first?.status(at: other.now)?.state == .revoked)
        }
    }

    /// However late it is read, and whatever a reading without it said before.
    @Test func endIsDatedByTheVoid() throws {
        var story = try GoogleStory(Self.lifetime)
        try story.say("ONE_TIME_PRODUCT_PURCHASED")
        let (voidedAt, delivery) = (story.now, try story.delivery("VOIDED_PURCHASE"))
        let notification = GoogleNotification(delivery.body)
        let document = try #require(delivery.documents.first?.json)
        story.now = story.now + .seconds(86_400)
        let purchase = try #require(story.purchase(document, of: notification.subject))
        try story.take(purchase.statement(body: [], id: "statement"))
        #expect(story.contracts.values.first?.status(at: story.now)?.state == .revoked)
        try story.take(notification.event(.purchase(purchase), body: [], now: story.now))
        #expect(story.contracts.values.first?.transaction?.transaction.revokedAt == voidedAt)
    }

    /// The old purchase is still the valid one, and the page shows it.
    @Test func droppedChangeOfPlanReplacesNothing() throws {
        var story = try GoogleStory()
        for words in Self.lives[4] { try story.say(words) }
        #expect(story.contracts.count == 2)
        #expect(story.entitlements.winner?.contract.lineage == "token.1" && story.entitlements.isActive)
    }

    @Test func replacedPurchaseGivesNoAccess() throws {
        var story = try GoogleStory()
        try story.say("4")
        try story.say("SUBSCRIPTION_PURCHASED/upgrade")
        #expect(story.entitlements.ranked.map(\.status.product) == ["paycast.pro.annual"])
    }

    private static let lifetime = SimulatedSubscription(
        product: "paycast.lifetime",
        kind: .nonConsumable,
        lineage: "token.1"
    )

    private func converges(_ events: [Event], _ told: GoogleStory) throws {
        for order in permutations(events) {
            var story = told
            story.contracts = [:]
            for event in order { try story.take(event) }
            for event in order.reversed() { try story.take(event) }
            #expect(story.contracts == told.contracts)
        }
    }
}

private func permutations<Item>(_ items: [Item]) -> [[Item]] {
    guard let first = items.first else { return [[]] }
    return permutations(Array(items.dropFirst())).flatMap { rest in
        (0...rest.count).map { Array(rest[..<$0]) + [first] + Array(rest[$0...]) }
    }
}
