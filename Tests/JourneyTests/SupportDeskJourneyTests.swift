import Domain
import Encoding
import HTTPClient
import Support
import TestSupport
import Testing

@testable import Simulator

/// What customers write to a support desk, and what its console says.
@Suite(.blocking) struct SupportDeskJourneyTests {
    private static let lineage = "1000000000000001"

    /// “I am charged twice.”
    @Test func twoStoresThatRenewAreNamed() throws {
        let app = try AppPost(ConsoleVisitor.settings)
        let desk = try ConsoleVisitor(app)
        let token = try #require(try app.order(of: "42"))
        #expect(try app.webhook(app.purchase(Self.lineage, token: token))["outcome"] == "applied")
        #expect(try !desk.get("/console/users/42").body.contains("Pays twice"))
        #expect(try subscribe(at: app, subscription: "sub_desk1", token: token) == 200)
        let page = try desk.get("/console/users/42").body
        let first = try #require(page.firstRange(of: "<h1>Pays twice for the same access: at "))
        let sentence = page[first.lowerBound...].prefix(1200)
        #expect(sentence.contains("at Apple (paycast.pro.monthly") && sentence.contains("at Stripe ("), "\(sentence)")
        #expect(sentence.contains("One is enough. Cancel paycast.pro.monthly at "), "\(sentence)")
        let apple = sentence.contains("https://apps.apple.com/account/subscriptions")
        #expect(apple || sentence.contains("https://dashboard.stripe.com/test/subscriptions/sub_desk1"), "\(sentence)")
        let attention = try desk.get("/console/attention").body
        #expect(attention.contains("1 user who pays twice") && attention.contains("/console/users/42"), "\(attention)")
        let answer = try app.get("/attention").body
        #expect(answer.contains(#""paid_twice":[{"entitlements":["default"],"renewals":["#), "\(answer)")
        // Renewal is off at one of them.
        let off = SimulatedEvent(
            type: "DID_CHANGE_RENEWAL_STATUS",
            subtype: "AUTO_RENEW_DISABLED",
            facts: SimulatedSubscription(product: "paycast.pro.monthly", lineage: Self.lineage),
            token: token,
            now: Clock().now()
        )
        #expect(try app.webhook(off)["outcome"] == "applied")
        #expect(try !desk.get("/console/users/42").body.contains("Pays twice"))
        #expect(try app.get("/attention").body.contains(#""paid_twice":[]"#))
    }

    private func subscribe(at app: AppPost, subscription: String, token: OrderToken) throws -> Int {
        var facts = SimulatedSubscription(product: "paycast.pro.monthly", lineage: subscription)
        facts.accessUntil = Clock().now() + .days(30)
        let type = "customer.subscription.created"
        let event = SimulatedEvent(type: type, facts: facts, token: token, now: Clock().now())
        let delivery = try SimulatedStripe(app.workspace).delivery(event)
        let address = app.server.url + delivery.path
        return try HTTPClient(timeout: .seconds(60))
            .send("POST", to: address, headers: delivery.headers, body: delivery.body).status
    }

    /// “Restore purchases does nothing.”
    @Test func aPurchaseThatStaysWithItsOwnerIsShownToWhoAskedForIt() throws {
        let settings = ConsoleVisitor.settings.merging(["PAYCAST_TRANSFERS": "keep"]) { $1 }
        let app = try AppPost(settings)
        let desk = try ConsoleVisitor(app)
        #expect(try app.webhook(app.purchase(Self.lineage, token: try app.order(of: "ann")))["outcome"] == "applied")
        let transaction = try app.store.transaction(app.purchase(Self.lineage, ago: 30))
        let body = ["signedTransaction": transaction, "stream": try app.stream(of: "bob")]
        // The second time with the same proof.
        for _ in 1...2 { #expect(try app.post("/transactions/apple", members: body, isAsked: true).status == 409) }
        let page = try desk.get("/console/users/bob").body
        #expect(page.contains("<h1>No purchase: the one that the user asked for on "), "\(page)")
        #expect(page.contains("is ann’s, and stayed there") && page.contains("What was refused"), "\(page)")
        #expect(page.contains(#"<a href="/console/users/ann""#) && page.contains("owned_by_other"), "\(page)")
        // Whoever came by a link sees one user alone.
        let linked = try ConsoleVisitor(app, linkedTo: "bob").get("/console/users/bob").body
        #expect(linked.contains("another user’s, and stayed there") && !linked.contains("ann"), "\(linked)")
        // The ledger knows it, not this process.
        try app.server.restart()
        #expect(try desk.get("/console/users/bob").body.contains("is ann’s, and stayed there"))
        #expect(try app.post("/users/ann?reason=asked", body: "", isTrusted: true, method: "DELETE").status == 200)
        #expect(try !desk.get("/console/users/bob").body.contains("ann"))
    }

    struct Refused: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let reason: String
        let says: String
    }

    private static let refused = [
        Refused(
            testDescription: "a name that another key signs",
            reason: "forged_stream_name",
            says: "compare PAYCAST_STREAM_KEYS"
        ),
        Refused(testDescription: "another app", reason: "wrong_app", says: "A purchase at Apple"),
    ]

    @Test(arguments: refused) func whatWasRefusedIsOnTheUsersPage(_ given: Refused) throws {
        let own = ["PAYCAST_APPLE_BUNDLE_ID": "com.example.paycast"]
        let app = try AppPost(ConsoleVisitor.settings.merging(own) { $1 })
        let desk = try ConsoleVisitor(app)
        var purchase = app.purchase(Self.lineage)
        var stream = try app.stream(of: "bob")
        if given.reason == "wrong_app" {
            purchase.app = "com.example.other"
        } else {
            stream = String(stream.dropLast(2)) + (stream.hasSuffix("00") ? "11" : "00")
        }
        let body = ["signedTransaction": try app.store.transaction(purchase), "stream": stream]
        for _ in 1...3 {
            #expect(try app.post("/transactions/apple", members: body, isAsked: true)["error"] == given.reason)
        }
        let page = try desk.get("/console/users/bob").body
        #expect(page.contains("<code>\(given.reason)</code>") && page.contains("3 times"), "\(page)")
        #expect(page.contains(given.says), "\(page)")
        #expect(try !desk.get("/console/users/ann").body.contains("What was refused"))
    }

    struct Odd: Sendable {
        let user: String
        let address: String
    }

    private static let odd = [
        Odd(user: "../../x", address: "..%2F..%2Fx"), Odd(user: "..", address: "~.."), Odd(user: ".", address: "~."),
        Odd(user: "~kim", address: "~~kim"), Odd(user: "a/b?c#d", address: "a%2Fb%3Fc%23d"),
    ]

    @Test(arguments: odd) func everyIDHasAPage(_ given: Odd) throws {
        let app = try AppPost(ConsoleVisitor.settings)
        let desk = try ConsoleVisitor(app)
        let bought = app.purchase(Self.lineage, token: try app.order(of: given.user))
        #expect(try app.webhook(bought)["outcome"] == "applied")
        let answer = try desk.send("/console/search", [("q", given.user)])
        #expect(answer.head.contains("Location: /console/users/\(given.address)"), "\(answer.head)")
        let page = try desk.get("/console/users/\(given.address)")
        #expect(page.status == 200 && page.body.contains("<h1>Active until"), "\(page.head)")
        let form = try desk.get("/console/users/\(given.address)/grant")
        #expect(form.status == 200 && form.body.contains("/console/users/\(given.address)"), "\(form.body)")
    }

    @Test func aPathStillHasNoParent() throws {
        let app = try AppPost(ConsoleVisitor.settings)
        for path in ["/console/users/../../x", "/users/%2E%2E", "/a/..", "/%2e./x"] {
            #expect(try app.get(path).status == 400, "\(path)")
        }
        for path in ["/..%2Fpaycast.db", "/demo%2F..%2F..%2Fpaycast.db", "/users/..%2F..%2Fpaycast.db/x"] {
            #expect(try app.get(path).status == 404, "\(path)")
        }
    }
}
