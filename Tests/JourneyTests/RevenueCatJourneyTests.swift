import Domain
import Simulator
import Support
import TestSupport
import Testing

/// What RevenueCat says, on the pages of those whom it is about.
@Suite(.blocking) struct RevenueCatJourneyTests {
    private func fixture(kind: ProductKind = .subscription, environment: [String: String] = [:]) throws
        -> WebhookFixture
    {
        try WebhookFixture(environment: environment, kind: kind) { SimulatedRevenueCat($0) }
    }

    @Test func subscriptionLives() throws {
        var fixture = try fixture()
        let page = try fixture.page(of: "42")
        try fixture.say(
            "INITIAL_PURCHASE",
            becomes: .active,
            on: page,
            showing: "target=\"paywall\"",
            "target=\"subscription_status\""
        )
        try fixture.say(
            "CANCELLATION/UNSUBSCRIBE",
            becomes: .cancelled,
            on: page,
            showing: "target=\"subscription_status\""
        )
        try fixture.say("UNCANCELLATION", becomes: .active, on: page, showing: "target=\"subscription_status\"")
        try fixture.say("PRODUCT_CHANGE", becomes: .active, on: page, showing: "target=\"subscription_status\"")
        try fixture.say(
            "BILLING_ISSUE/GRACE",
            becomes: .inGracePeriod,
            on: page,
            showing: "target=\"subscription_status\""
        )
        try fixture.say("RENEWAL", becomes: .active, on: page, showing: "target=\"subscription_status\"")
        try fixture.say("CANCELLATION/CUSTOMER_SUPPORT", becomes: .revoked, on: page, showing: "target=\"paywall\"")
        try fixture.say("REFUND_REVERSED", becomes: .active, on: page, showing: "target=\"paywall\"")
        try fixture.say("EXPIRATION/BILLING_ERROR", becomes: .expired, on: page, showing: "target=\"paywall\"")
    }

    @Test func purchaseIsRefunded() throws {
        var fixture = try fixture(kind: .nonConsumable)
        let page = try fixture.page(of: "42")
        try fixture.say("NON_RENEWING_PURCHASE", becomes: .owned, on: page, showing: "target=\"paywall\"")
        try fixture.say("CANCELLATION/CUSTOMER_SUPPORT", becomes: .revoked, on: page, showing: "target=\"paywall\"")
    }

    @Test func transferTellsBothPages() throws {
        var fixture = try fixture()
        let (loser, winner) = (try fixture.page(of: "42"), try fixture.page(of: "43"))
        try fixture.say("INITIAL_PURCHASE", becomes: .active, on: loser, showing: "target=\"paywall\"")
        try fixture.say("TRANSFER/43", becomes: .active, on: loser, showing: "target=\"paywall\"")
        #expect(try winner.message().data?.contains("target=\"paywall\"") == true)
        fixture.user = "43"
        try fixture.say(
            "CANCELLATION/UNSUBSCRIBE",
            becomes: .cancelled,
            on: winner,
            showing: "target=\"subscription_status\""
        )
    }

    /// Nobody whom the app knows has bought; the order's token in the customer's attributes tells who it was.
    @Test func tokenInAnAttributeNamesTheUser() throws {
        var fixture = try fixture()
        fixture.user = "$RCAnonymousID:1"
        let token = OrderToken.random()
        try fixture.expect(try fixture.delivery("INITIAL_PURCHASE", token: token), status: 200, text: "unclaimed")
        let order = fixture.server.paycast(
            "order",
            "--user",
            "42",
            "--product",
            "paycast.pro.monthly",
            "--token",
            token.description
        )
        #expect(try order.waitForExit() == 0)
        let page = try fixture.page(of: "42")
        #expect(try page.message().data?.contains("target=\"paywall\"") == true)
    }

    @Test func retryIsADuplicateAndBadDeliveriesAreAnswered() throws {
        let fixture = try fixture()
        let delivery = try fixture.delivery("INITIAL_PURCHASE")
        try fixture.expect(delivery, status: 200, text: "applied")
        try fixture.expect(delivery, status: 200, text: "duplicate")
        try fixture.expect(try fixture.delivery("TYPE_OF_TOMORROW"), status: 200, text: "ignored")
        try fixture.expect(try fixture.delivery("TEST"), status: 200, text: "ignored")
        var stranger = try fixture.delivery("RENEWAL")
        stranger.headers = []
        try fixture.expect(stranger, status: 401, text: "unauthorized")
        stranger.headers = [("Authorization", "Bearer guess")]
        try fixture.expect(stranger, status: 401, text: "unauthorized")
        var truncated = try fixture.delivery("RENEWAL")
        truncated.body.removeLast(5)
        try fixture.expect(truncated, status: 400, text: "invalid_json")
        var huge = try fixture.delivery("RENEWAL")
        huge.body += [UInt8](repeating: 32, count: 256 * 1024)
        #expect(try fixture.post(huge).status == 413)
    }

    /// During a store's outage RevenueCat does not know in which environment something was bought.
    @Test func grantOfAnOutageOpensThePaywall() throws {
        let fixture = try fixture()
        let page = try fixture.page(of: "42")
        var grant = try fixture.delivery("TEMPORARY_ENTITLEMENT_GRANT")
        let text = String(decoding: grant.body, as: UTF8.self)
        let environment = try #require(text.firstRange(of: #""environment":"SANDBOX","#))
        grant.body = Array((text[..<environment.lowerBound] + text[environment.upperBound...]).utf8)
        try fixture.expect(grant, status: 200, text: "applied")
        #expect(try page.message().data?.contains("target=\"paywall\"") == true)
    }

    @Test func markupIsEscapedOnThePage() throws {
        var fixture = try fixture()
        let page = try fixture.page(of: "42")
        fixture.facts.product = #""><script>alert(1)</script>"#
        try fixture.expect(try fixture.delivery("INITIAL_PURCHASE"), status: 200, text: "applied")
        let message = try page.message().data ?? ""
        #expect(message.contains("&lt;script&gt;") && !message.contains("<script>"), "\(message)")
    }

    /// A setting that is given replaces the workspace's; without both, RevenueCat is asked to come back.
    @Test func settingDecidesWhoIsBelieved() throws {
        let given = try fixture(environment: ["PAYCAST_REVENUECAT_AUTHORIZATION": "Bearer given"])
        var delivery = try given.delivery("INITIAL_PURCHASE")
        try given.expect(delivery, status: 401, text: "unauthorized")
        delivery.headers = [("Authorization", "Bearer given")]
        try given.expect(delivery, status: 200, text: "applied")
    }

    @Test func signatureSuffices() throws {
        let secret = "whsec_0123456789"
        let fixture = try fixture(environment: ["PAYCAST_REVENUECAT_SECRETS": secret])
        let foreign = try fixture.delivery("INITIAL_PURCHASE")
        try fixture.expect(foreign, status: 401, text: "bad_signature")
        let signed = try SimulatedRevenueCat(secret: secret).attempt(foreign, at: Clock().now())
        try fixture.expect(signed, status: 200, text: "applied")
    }
}
