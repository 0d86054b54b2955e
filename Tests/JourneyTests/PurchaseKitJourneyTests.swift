import Domain
import TestSupport
import Testing

@testable import Simulator

/// What PurchaseKit says, on the page of the customer whom it names.
@Suite(.blocking) struct PurchaseKitJourneyTests {
    private func fixture(environment: [String: String] = [:]) throws -> WebhookFixture {
        // PurchaseKit does not say whether a purchase was made in the Sandbox: it counts as one of Production.
        try WebhookFixture(environment: environment) { SimulatedPurchaseKit($0) }
    }

    @Test(arguments: ["apple", "google"])
    func subscriptionLives(_ store: String) throws {
        var fixture = try fixture()
        let page = try fixture.page(of: "42")
        try fixture.say("subscription.created/\(store)", becomes: .active, on: page, showing: "target=\"paywall\"")
        try fixture.say(
            "subscription.canceled/\(store)",
            becomes: .cancelled,
            on: page,
            showing: "target=\"subscription_status\""
        )
        try fixture.say(
            "subscription.updated/\(store)",
            becomes: .active,
            on: page,
            showing: "target=\"subscription_status\""
        )
        try fixture.say("subscription.expired/\(store)", becomes: .expired, on: page, showing: "target=\"paywall\"")
    }

    /// The signature is valid for ever: the id, and the period it speaks of, are what stops a replay.
    @Test func replayOpensNothing() throws {
        var fixture = try fixture()
        let page = try fixture.page(of: "42")
        let created = try fixture.delivery("subscription.created")
        let late = try fixture.delivery("subscription.created", id: "late")
        try fixture.expect(created, status: 200, text: "applied")
        _ = try page.message()
        (fixture.facts.state, fixture.facts.accessUntil) = (.active, nil)
        try fixture.say("subscription.expired", becomes: .expired, on: page, showing: "target=\"paywall\"")
        try fixture.expect(created, status: 200, text: "duplicate")
        try fixture.expect(late, status: 200, text: "stale")
    }

    @Test func badDeliveriesAreAnswered() throws {
        let fixture = try fixture()
        var changed = try fixture.delivery("subscription.created")
        changed.body += [32]
        try fixture.expect(changed, status: 400, text: "bad_signature")
        var unsigned = try fixture.delivery("subscription.created")
        unsigned.headers = []
        try fixture.expect(unsigned, status: 400, text: "missing_signature")
        try fixture.expect(try fixture.delivery("subscription.tomorrow"), status: 200, text: "applied")
        var huge = try fixture.delivery("subscription.created")
        huge.body += [UInt8](repeating: 32, count: 256 * 1024)
        #expect(try fixture.post(huge).status == 413)
    }

    @Test func settingDecidesWhoIsBelieved() throws {
        let fixture = try fixture(environment: ["PAYCAST_PURCHASEKIT_SECRET": "given"])
        try fixture.expect(try fixture.delivery("subscription.created"), status: 400, text: "bad_signature")
        let given = try SimulatedPurchaseKit(secret: "given").delivery(
            SimulatedEvent(type: "subscription.created", facts: fixture.facts, user: "42", now: .init(milliseconds: 1))
        )
        try fixture.expect(given, status: 200, text: "applied")
    }
}
