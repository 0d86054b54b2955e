import Domain
import Simulator
import TestSupport
import Testing

/// What RevenueCat says, on the pages of those whom it is about.
@Suite(.timeLimit(.minutes(10))) struct RevenueCatJourneyTests {
    private func scene(kind: ProductKind = .subscription, environment: [String: String] = [:]) throws -> WebhookScene {
        try WebhookScene(environment: environment, kind: kind) {
            SimulatedRevenueCat(authorization: $0.storeSecrets.revenueCat)
        }
    }

    @Test func subscriptionLives() throws {
        var scene = try scene()
        let page = try scene.page(of: "42")
        try scene.say("INITIAL_PURCHASE", .active, on: page, "target=\"paywall\"", "target=\"subscription_status\"")
        try scene.say("CANCELLATION/UNSUBSCRIBE", .cancelled, on: page, "target=\"subscription_status\"")
        try scene.say("UNCANCELLATION", .active, on: page, "target=\"subscription_status\"")
        try scene.say("PRODUCT_CHANGE", .active, on: page, "target=\"subscription_status\"")
        try scene.say("BILLING_ISSUE/GRACE", .inGracePeriod, on: page, "target=\"subscription_status\"")
        try scene.say("RENEWAL", .active, on: page, "target=\"subscription_status\"")
        try scene.say("CANCELLATION/CUSTOMER_SUPPORT", .revoked, on: page, "target=\"paywall\"")
        try scene.say("REFUND_REVERSED", .active, on: page, "target=\"paywall\"")
        try scene.say("EXPIRATION/BILLING_ERROR", .expired, on: page, "target=\"paywall\"")
    }

    @Test func purchaseIsRefunded() throws {
        var scene = try scene(kind: .nonConsumable)
        let page = try scene.page(of: "42")
        try scene.say("NON_RENEWING_PURCHASE", .owned, on: page, "target=\"paywall\"")
        try scene.say("CANCELLATION/CUSTOMER_SUPPORT", .revoked, on: page, "target=\"paywall\"")
    }

    @Test func transferTellsBothPages() throws {
        var scene = try scene()
        let (loser, winner) = (try scene.page(of: "42"), try scene.page(of: "43"))
        try scene.say("INITIAL_PURCHASE", .active, on: loser, "target=\"paywall\"")
        try scene.say("TRANSFER/43", .active, on: loser, "target=\"paywall\"")
        #expect(try winner.message().data?.contains("target=\"paywall\"") == true)
        scene.user = "43"
        try scene.say("CANCELLATION/UNSUBSCRIBE", .cancelled, on: winner, "target=\"subscription_status\"")
    }

    /// Nobody whom the app knows has bought; the order's token in the customer's attributes tells who it was.
    @Test func tokenInAnAttributeNamesTheUser() throws {
        var scene = try scene()
        scene.user = "$RCAnonymousID:1"
        let token = OrderToken.random()
        try scene.expect(try scene.delivery("INITIAL_PURCHASE", token: token), 200, "unclaimed")
        let order = scene.server.paycast(
            "order",
            "--user",
            "42",
            "--product",
            "paycast.pro.monthly",
            "--token",
            token.description
        )
        #expect(try order.waitForExit() == 0)
        let page = try scene.page(of: "42")
        #expect(try page.message().data?.contains("target=\"paywall\"") == true)
    }

    @Test func retryIsADuplicateAndBadDeliveriesAreAnswered() throws {
        let scene = try scene()
        let delivery = try scene.delivery("INITIAL_PURCHASE")
        try scene.expect(delivery, 200, "applied")
        try scene.expect(delivery, 200, "duplicate")
        try scene.expect(try scene.delivery("TYPE_OF_TOMORROW"), 200, "ignored")
        try scene.expect(try scene.delivery("TEST"), 200, "ignored")
        var stranger = try scene.delivery("RENEWAL")
        stranger.headers = []
        try scene.expect(stranger, 401, "unauthorized")
        stranger.headers = [("Authorization", "Bearer guess")]
        try scene.expect(stranger, 401, "unauthorized")
        var truncated = try scene.delivery("RENEWAL")
        truncated.body.removeLast(5)
        try scene.expect(truncated, 400, "invalid_json")
        var huge = try scene.delivery("RENEWAL")
        huge.body += [UInt8](repeating: 32, count: 256 * 1024)
        #expect(try scene.post(huge).status == 413)
    }

    /// During a store's outage RevenueCat does not know in which environment something was bought.
    @Test func grantOfAnOutageOpensThePaywall() throws {
        let scene = try scene()
        let page = try scene.page(of: "42")
        var grant = try scene.delivery("TEMPORARY_ENTITLEMENT_GRANT")
        let text = String(decoding: grant.body, as: UTF8.self)
        let environment = try #require(text.firstRange(of: #""environment":"SANDBOX","#))
        grant.body = Array((text[..<environment.lowerBound] + text[environment.upperBound...]).utf8)
        try scene.expect(grant, 200, "applied")
        #expect(try page.message().data?.contains("target=\"paywall\"") == true)
    }

    @Test func markupIsEscapedOnThePage() throws {
        var scene = try scene()
        let page = try scene.page(of: "42")
        scene.facts.product = #""><script>alert(1)</script>"#
        try scene.expect(try scene.delivery("INITIAL_PURCHASE"), 200, "applied")
        let message = try page.message().data ?? ""
        #expect(message.contains("&lt;script&gt;") && !message.contains("<script>"), "\(message)")
    }

    /// A setting that is given replaces the workspace's; without both, RevenueCat is asked to come back.
    @Test func settingDecidesWhoIsBelieved() throws {
        let given = try scene(environment: ["PAYCAST_REVENUECAT_AUTHORIZATION": "Bearer given"])
        var delivery = try given.delivery("INITIAL_PURCHASE")
        try given.expect(delivery, 401, "unauthorized")
        delivery.headers = [("Authorization", "Bearer given")]
        try given.expect(delivery, 200, "applied")
    }
}
