import Domain
import Ledger
import Stores
import Support
import TestSupport
import Testing

/// Google ends a purchase that another one continues, and says so before or after it tells of the new one.
@Suite(.blocking) struct ReplacedPurchaseTests {
    private static let start = TemporaryLedger.start
    private static let day = Duration.seconds(86_400)
    private static let changedAt = start + day * 10

    /// The old purchase, its end by the new one, and the new one.
    private static let statements = ["old", "ended", "new"]

    private func read(_ name: String, token: OrderToken, at now: Instant) throws -> Event {
        let end = name == "ended" ? Self.changedAt : Self.start + Self.day * (name == "old" ? 30 : 375)
        let state = name == "ended" ? "EXPIRED" : "ACTIVE"
        let context = name == "ended" ? #""canceledStateContext":{"replacementCancellation":{}},"# : ""
        let link = name == "new" ? #""linkedPurchaseToken":"A","# : ""
        let answer = """
            {\(context)\(link)"externalAccountIdentifiers":{"obfuscatedExternalAccountId":"\(token)"},
            "subscriptionState":"SUBSCRIPTION_STATE_\(state)","startTime":"\(Self.start.iso8601)","lineItems":[{
            "productId":"\(name == "new" ? "annual" : "monthly")","expiryTime":"\(end.iso8601)",
            "latestSuccessfulOrderId":"GPA.\(name == "new" ? 2 : 1)",
            "autoRenewingPlan":{"autoRenewEnabled":\(name != "ended")}}]}
            """
        let purchase = try #require(
            GooglePurchase(
                subscription: Array(answer.utf8),
                token: name == "new" ? "B" : "A",
                package: "app",
                catalog: Catalog(),
                readAt: now
            )
        )
        return purchase.statement(body: Array(name.utf8), id: name)
    }

    private func ledger() throws -> (TemporaryLedger, OrderToken) {
        var policy = AccessPolicy(sandboxUsers: .only([]))
        policy.leeway = .seconds(300)
        let ledger = try TemporaryLedger(policy: policy)
        return (ledger, try ledger.order(OrderRequest(user: "42", product: "monthly")).order.token)
    }

    private func shown(_ ledger: TemporaryLedger) throws -> [String] {
        try ledger.entries().entries.flatMap(\.fragments).summary
    }

    @Test(arguments: [["ended", "new"], ["new", "ended"], ["ended", "ended", "new", "ended"]])
    func noPaywallIsShownBetweenThem(_ order: [String]) throws {
        let (ledger, token) = try ledger()
        defer { ledger.remove() }
        _ = try ledger.send(try read("old", token: token, at: Self.start + .seconds(60)))
        for (index, name) in order.enumerated() {
            let now = Self.changedAt + .seconds(60 * index)
            ledger.clock.set(to: now)
            var event = try read(name, token: token, at: now)
            event.id += "\(index)"
            _ = try ledger.send(event)
            #expect(try ledger.entitlements("42").isActive)
        }
        ledger.clock.set(to: Self.changedAt + Self.day)
        let held = try ledger.entitlements("42").contracts
        #expect(held.first?.product == "annual" && held.filter(\.isActive).count == 1)
        #expect(try !shown(ledger).contains { $0.hasSuffix("=paywall") })
    }

    /// The purchase that continues it never comes, or is another user's.
    @Test func withoutTheNewOneAccessEndsWithTheLeeway() throws {
        let (ledger, token) = try ledger()
        defer { ledger.remove() }
        _ = try ledger.send(try read("old", token: token, at: Self.start + .seconds(60)))
        ledger.clock.set(to: Self.changedAt)
        _ = try ledger.send(try read("ended", token: token, at: Self.changedAt))
        #expect(try ledger.entitlements("42").isActive)
        ledger.clock.set(to: Self.changedAt + .seconds(301))
        #expect(try !ledger.entitlements("42").isActive)
        _ = try ledger.order(OrderRequest(user: "43", product: "other"))
        #expect(try shown(ledger).suffix(2) == ["paywall=paywall", "subscription_status=paywall"])
    }
}
