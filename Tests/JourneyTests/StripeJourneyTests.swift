import Domain
import HTTPClient
import Support
import TestSupport
import Testing

@testable import Simulator

/// From an order through everything that Stripe says of it, to the page of the user who paid.
@Suite(.blocking) struct StripeJourneyTests {
    /// A server, its simulated Stripe, and the open page of one user.
    private struct Fixture {
        let server: PaycastServer
        let workspace: DevelopmentWorkspace
        let store: SimulatedStripe
        let token: OrderToken
        let page: EventStreamClient
        var facts: SimulatedSubscription
        /// Stripe's clock. Its events carry whole seconds: each gets its own.
        private(set) var now = Clock().now()

        init(kind: ProductKind, environment: [String: String] = [:]) throws {
            server = try PaycastServer(environment: environment)
            workspace = try DevelopmentWorkspace.existing(in: server.folder.path)
            store = SimulatedStripe(workspace)
            let product = kind == .subscription ? "paycast.pro.monthly" : "paycast.lifetime"
            let order = server.paycast("order", "--user", "42", "--product", product)
            #expect(try order.waitForExit() == 0)
            token = try #require(OrderToken(try order.value("order")))
            page = try EventStreamClient(port: server.port, path: "/streams?name=\(try order.value("signed_stream"))")
            facts = SimulatedSubscription(product: product, kind: kind, order: token)
        }

        func delivery(_ words: String, now: Instant = Clock().now(), hasToken: Bool = true) throws -> SimulatedDelivery
        {
            let parts = words.split(separator: "/").map(String.init)
            let event = SimulatedEvent(
                type: parts[0],
                subtype: parts.count > 1 ? parts[1] : nil,
                facts: facts,
                user: "42",
                token: hasToken ? token : nil,
                now: now
            )
            return try store.delivery(event)
        }

        func post(_ delivery: SimulatedDelivery) throws -> (status: Int, text: String) {
            let client = HTTPClient(timeout: .seconds(60))
            let response = try client.send(
                "POST",
                to: server.url + delivery.path,
                headers: delivery.headers,
                body: delivery.body
            )
            return (response.status, String(decoding: response.body, as: UTF8.self))
        }

        /// Posts an event, and expects one message that replaces these elements.
        mutating func say(_ words: String, becomes state: ContractState, showing fragments: String...) throws {
            now = now + .seconds(1)
            let answer = try post(try delivery(words, now: now))
            #expect(answer.status == 200 && answer.text.contains(#""outcome":"applied""#), "\(words): \(answer)")
            let message = try page.message().data ?? ""
            for fragment in fragments {
                #expect(message.contains("target=\"\(fragment)\""), "\(words): \(message)")
            }
            facts.state = state
        }
    }

    @Test func subscriptionLives() throws {
        var fixture = try Fixture(kind: .subscription)
        let month = Duration.seconds(30 * 86_400)
        try fixture.say("checkout.session.completed", becomes: .active, showing: "paywall", "subscription_status")
        fixture.facts.accessUntil = Clock().now() + month
        try fixture.say("customer.subscription.created", becomes: .active, showing: "subscription_status")
        try fixture.say(
            "customer.subscription.updated/past_due",
            becomes: .inGracePeriod,
            showing: "subscription_status"
        )
        try fixture.say("customer.subscription.updated/recovered", becomes: .active, showing: "subscription_status")
        fixture.facts.accessUntil = Clock().now() + month
        try fixture.say("customer.subscription.updated/cancel", becomes: .cancelled, showing: "subscription_status")
        try fixture.say(
            "customer.subscription.deleted/payment_disputed",
            becomes: .revoked,
            showing: "paywall",
            "subscription_status"
        )
    }

    @Test func purchaseIsRefunded() throws {
        var fixture = try Fixture(kind: .nonConsumable)
        try fixture.say(
            "checkout.session.completed/unpaid",
            becomes: .pending,
            showing: "paywall",
            "subscription_status"
        )
        try fixture.say(
            "checkout.session.async_payment_succeeded",
            becomes: .owned,
            showing: "paywall",
            "subscription_status"
        )
        let partial = try fixture.post(try fixture.delivery("charge.refunded/partial", now: fixture.now))
        #expect(partial.text.contains(#""outcome":"ignored""#))
        try fixture.say("charge.refunded", becomes: .revoked, showing: "paywall", "subscription_status")
    }

    /// A server without a key of Stripe's API cannot ask which purchase the money went back for.
    @Test(arguments: ["charge.refunded", "charge.refunded/partial"])
    func aRefundOfNothingKnownWaitsForNobody(_ words: String) throws {
        let fixture = try Fixture(kind: .subscription)
        let answer = try fixture.post(try fixture.delivery(words, hasToken: false))
        #expect(answer.status == 200 && answer.text.contains(#""outcome":"ignored""#), "\(answer)")
        let client = HTTPClient(timeout: .seconds(60))
        let headers = [("Authorization", "Bearer \(fixture.workspace.apiKey)")]
        let found = try client.send("GET", to: fixture.server.url + "/attention", headers: headers)
        #expect(String(decoding: found.body, as: UTF8.self).contains(#""unclaimed_contracts":0"#))
    }

    /// A subscription does not inherit its session's metadata: the session links it, whichever comes first, and the
    /// customer is known from then on.
    @Test(arguments: [false, true]) func sessionLinksTheSubscription(_ comesFirst: Bool) throws {
        var fixture = try Fixture(kind: .subscription)
        let subscription = try fixture.delivery("customer.subscription.created", hasToken: false)
        let session = try fixture.delivery("checkout.session.completed")
        let outcomes = try (comesFirst ? [session, subscription] : [subscription, session]).map {
            try fixture.post($0).text
        }
        #expect(outcomes[0].contains(comesFirst ? #""outcome":"applied""# : #""outcome":"unclaimed""#), "\(outcomes)")
        #expect(outcomes[1].contains(#""outcome":"applied""#), "\(outcomes)")
        #expect(try fixture.page.message().data?.contains(#"target="paywall""#) == true)
        fixture.facts.lineage = "sub_next"
        let next = try fixture.delivery(
            "customer.subscription.created",
            now: Clock().now() + .seconds(1),
            hasToken: false
        )
        #expect(try fixture.post(next).text.contains(#""outcome":"applied""#))
    }

    /// What a store says is text, wherever it stands in a template.
    @Test func markupIsEscapedOnThePage() throws {
        var fixture = try Fixture(kind: .nonConsumable)
        fixture.facts.product = #""><script>alert(1)</script>"#
        let answer = try fixture.post(try fixture.delivery("checkout.session.completed"))
        #expect(answer.text.contains(#""outcome":"applied""#), "\(answer)")
        let message = try fixture.page.message().data ?? ""
        #expect(message.contains("&lt;script&gt;") && !message.contains("<script>"), "\(message)")
    }

    @Test func replayIsADuplicate() throws {
        let fixture = try Fixture(kind: .subscription)
        let delivery = try fixture.delivery("customer.subscription.created")
        #expect(try fixture.post(delivery).text.contains(#""outcome":"applied""#))
        #expect(try fixture.post(delivery).text.contains(#""outcome":"duplicate""#))
    }

    @Test func badDeliveriesAreAnswered() throws {
        let fixture = try Fixture(kind: .subscription)
        let now = Clock().now()
        var unsigned = try fixture.delivery("customer.subscription.created")
        unsigned.headers = []
        var changed = try fixture.delivery("customer.subscription.created")
        changed.body += [32]
        let stale = try fixture.delivery("customer.subscription.created", now: now - .seconds(600))
        let early = try fixture.delivery("customer.subscription.created", now: now + .seconds(600))
        let refusals = [
            (unsigned, "missing_signature"), (changed, "bad_signature"), (stale, "signed_in_past"),
            (early, "signed_in_future"),
        ]
        for (delivery, code) in refusals {
            let answer = try fixture.post(delivery)
            #expect(answer.status == 400 && answer.text.contains("\"error\":\"\(code)\""), "\(answer)")
        }
        var huge = try fixture.delivery("customer.subscription.created")
        huge.body += [UInt8](repeating: 32, count: 256 * 1024)
        #expect(try fixture.post(huge).status == 413)
    }

    /// A server outside development knows no secret that it was not given.
    @Test func unconfiguredServerAsksStripeToComeBack() throws {
        let server = try PaycastServer([])
        let response = try HTTPClient(timeout: .seconds(60)).send("POST", to: server.url + "/webhooks/stripe", body: [])
        #expect(response.status == 503)
    }

    /// With a key the subscription is read again: here from another development server's stand-in.
    @Test func keyReadsTheSubscriptionAgain() throws {
        let stripe = try PaycastServer()
        let address = "\(stripe.url)/demo/api/stripe"
        let server = try PaycastServer(
            environment: ["PAYCAST_STRIPE_API_KEY": "rk_test_1", "PAYCAST_STRIPE_API_URL": address]
        )
        let workspace = try DevelopmentWorkspace.existing(in: server.folder.path)
        let facts = SimulatedSubscription(product: "paycast.pro.monthly", lineage: "sub_1")
        let event = SimulatedEvent(type: "checkout.session.completed", facts: facts, now: Clock().now())
        let delivery = try SimulatedStripe(workspace).delivery(event)
        let client = HTTPClient(timeout: .seconds(60))
        for document in delivery.documents {
            #expect(try client.send("PUT", to: address + document.path, body: document.json).status == 200)
        }
        let url = server.url + delivery.path
        let answer = try client.send("POST", to: url, headers: delivery.headers, body: delivery.body)
        #expect(String(decoding: answer.body, as: UTF8.self).contains(#""outcome":"unclaimed""#))
        let tail = server.paycast("tail", "--json", "--since", "start", "--until", "provider=stripe", "--timeout", "40")
        #expect(try tail.waitForExit() == 0, "\(tail.errors)")
        // A session alone opens a day; what was read opens the whole period.
        #expect(tail.output.contains((event.now + .seconds(30 * 86_400)).iso8601.prefix(10)), "\(tail.output)")
    }

    @Test func unreachableAPIAsksStripeToComeBack() throws {
        let gone = ReservedPort.unused.url
        let fixture = try Fixture(
            kind: .subscription,
            environment: ["PAYCAST_STRIPE_API_KEY": "rk_test_1", "PAYCAST_STRIPE_API_URL": gone]
        )
        let answer = try fixture.post(try fixture.delivery("customer.subscription.created"))
        #expect(answer.status == 503 && answer.text.contains(#""error":"store_unreachable""#), "\(answer)")
    }
}

extension RunningProcess {
    /// What stands behind a name in a command's answer.
    fileprivate func value(_ name: String) throws -> String {
        let line = output.split(separator: "\n").first { $0.hasPrefix(name + " ") }
        return String(try #require(line).split(separator: " ").last ?? "")
    }
}
