import Domain
import Simulator
import TestSupport
import Testing

/// What PurchaseKit says, on the page of the customer whom it names.
@Suite(.timeLimit(.minutes(10))) struct PurchaseKitJourneyTests {
    private func scene(environment: [String: String] = [:]) throws -> WebhookScene {
        // PurchaseKit does not say whether a purchase was made in the Sandbox: it counts as one of Production.
        try WebhookScene(environment: environment) { SimulatedPurchaseKit(secret: $0.storeSecrets.purchaseKit) }
    }

    @Test(arguments: ["apple", "google"])
    func subscriptionLives(_ store: String) throws {
        var scene = try scene()
        let page = try scene.page(of: "42")
        try scene.say("subscription.created/\(store)", .active, on: page, "target=\"paywall\"")
        try scene.say("subscription.canceled/\(store)", .cancelled, on: page, "target=\"subscription_status\"")
        try scene.say("subscription.updated/\(store)", .active, on: page, "target=\"subscription_status\"")
        try scene.say("subscription.expired/\(store)", .expired, on: page, "target=\"paywall\"")
    }

    /// The signature is valid for ever: the id, and the period it speaks of, are what stops a replay.
    @Test func replayOpensNothing() throws {
        var scene = try scene()
        let page = try scene.page(of: "42")
        let created = try scene.delivery("subscription.created")
        let late = try scene.delivery("subscription.created", id: "late")
        try scene.expect(created, 200, "applied")
        _ = try page.message()
        (scene.facts.state, scene.facts.accessUntil) = (.active, nil)
        try scene.say("subscription.expired", .expired, on: page, "target=\"paywall\"")
        try scene.expect(created, 200, "duplicate")
        try scene.expect(late, 200, "stale")
    }

    @Test func badDeliveriesAreAnswered() throws {
        let scene = try scene()
        var changed = try scene.delivery("subscription.created")
        changed.body += [32]
        try scene.expect(changed, 400, "bad_signature")
        var unsigned = try scene.delivery("subscription.created")
        unsigned.headers = []
        try scene.expect(unsigned, 400, "missing_signature")
        try scene.expect(try scene.delivery("subscription.tomorrow"), 200, "applied")
        var huge = try scene.delivery("subscription.created")
        huge.body += [UInt8](repeating: 32, count: 256 * 1024)
        #expect(try scene.post(huge).status == 413)
    }

    @Test func settingDecidesWhoIsBelieved() throws {
        let scene = try scene(environment: ["PAYCAST_PURCHASEKIT_SECRET": "given"])
        try scene.expect(try scene.delivery("subscription.created"), 400, "bad_signature")
        let given = try SimulatedPurchaseKit(secret: "given").delivery(
            SimulatedEvent(type: "subscription.created", facts: scene.facts, user: "42", now: .init(milliseconds: 1))
        )
        try scene.expect(given, 200, "applied")
    }
}
