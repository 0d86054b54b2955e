import Crypto
import Domain
import HTTPClient
import Support
import TestSupport
import Testing

@testable import Simulator

/// From an order through everything that Google says of it, to the page of the user who paid.
@Suite(.blocking) struct GoogleJourneyTests {
    /// A server, its simulated Google Play, and the open page of one user.
    private struct Fixture {
        let server: PaycastServer
        let store: SimulatedGooglePlay
        var token: OrderToken
        let page: EventStreamClient
        var facts: SimulatedSubscription
        private let client = HTTPClient(timeout: .seconds(60))

        /// `options`: of the order.
        init(
            kind: ProductKind = .subscription,
            environment: [String: String] = [:],
            options: [String] = []
        ) throws {
            server = try PaycastServer(environment: environment)
            store = SimulatedGooglePlay(key: try DevelopmentWorkspace.existing(in: server.folder.path).google)
            let product = kind == .subscription ? "paycast.pro.monthly" : "paycast.lifetime"
            let order = server.paycast(["order", "--user", "42", "--product", product] + options)
            #expect(try order.waitForExit() == 0)
            token = try #require(OrderToken(try order.value("order")))
            page = try EventStreamClient(port: server.port, path: "/streams?name=\(try order.value("signed_stream"))")
            facts = SimulatedSubscription(product: product, kind: kind, order: token)
        }

        func delivery(_ words: String, app: String? = nil) throws -> SimulatedDelivery {
            let parts = words.split(separator: "/").map(String.init)
            let event = SimulatedEvent(
                type: parts[0],
                subtype: parts.count > 1 ? parts[1] : nil,
                facts: facts,
                token: token,
                app: app,
                now: Clock().now()
            )
            return try store.delivery(event)
        }

        /// What the stand-in is to answer.
        func put(_ delivery: SimulatedDelivery) throws {
            for document in delivery.documents {
                let address = server.url + "/demo/api/google" + document.path
                #expect(try client.send("PUT", to: address, body: document.json).status == 200)
            }
        }

        /// What the user holds, without where the feed stands.
        func entitlements() throws -> String {
            let key = try DevelopmentWorkspace.existing(in: server.folder.path).apiKey
            let address = server.url + "/users/42/entitlements"
            let answer = try client.send("GET", to: address, headers: [("Authorization", "Bearer \(key)")])
            let text = String(decoding: answer.body, as: UTF8.self)
            return String(text.split(separator: #""since""#).first ?? "")
        }

        /// The stand-in first, then the webhook.
        func post(_ delivery: SimulatedDelivery) throws -> (status: Int, text: String) {
            try put(delivery)
            let response = try client.send(
                "POST",
                to: server.url + delivery.path,
                headers: delivery.headers,
                body: delivery.body
            )
            return (response.status, String(decoding: response.body, as: UTF8.self))
        }

        /// Posts a notification, and expects one message that replaces these elements.
        mutating func say(_ words: String, becomes state: ContractState, showing fragments: String...) throws {
            let answer = try post(try delivery(words))
            #expect(answer.status == 204, "\(words): \(answer)")
            let message = try page.message().data ?? ""
            for fragment in fragments {
                #expect(message.contains("target=\"\(fragment)\""), "\(words): \(message)")
            }
            facts.state = state
        }

        /// Waits until Google was told this.
        func waitForJob(_ text: String) throws {
            let deadline = ContinuousClock.now + .seconds(20)
            var told = ""
            while ContinuousClock.now < deadline, !told.contains(text) {
                told = String(
                    decoding: try client.send("GET", to: server.url + "/demo/api/google/jobs").body,
                    as: UTF8.self
                )
            }
            #expect(told.contains(text), "\(told)")
            #expect(told.split(separator: text).count == 2, "told once: \(told)")
        }
    }

    @Test func subscriptionLives() throws {
        var fixture = try Fixture()
        let bought = "SUBSCRIPTION_PURCHASED"
        let month = Duration.seconds(30 * 86_400)
        try fixture.say(bought, becomes: .active, showing: "paywall", "subscription_status")
        fixture.facts.lineage = SimulatedGooglePlay.lineage(of: fixture.facts)
        try fixture.waitForJob("acknowledge subscriptions/paycast.pro.monthly \(fixture.facts.lineage)")
        fixture.facts.accessUntil = Clock().now() + month
        try fixture.say("SUBSCRIPTION_RENEWED", becomes: .active, showing: "subscription_status")
        try fixture.say("SUBSCRIPTION_IN_GRACE_PERIOD", becomes: .inGracePeriod, showing: "subscription_status")
        try fixture.say("SUBSCRIPTION_ON_HOLD", becomes: .inBillingRetry, showing: "paywall", "subscription_status")
        try fixture.say("SUBSCRIPTION_RECOVERED", becomes: .active, showing: "paywall", "subscription_status")
        try fixture.say("\(bought)/upgrade", becomes: .active, showing: "paywall", "subscription_status")
        fixture.facts.lineage = SimulatedGooglePlay.successor(of: fixture.facts.lineage)
        fixture.facts.product = "paycast.pro.annual"
        try fixture.waitForJob("acknowledge subscriptions/paycast.pro.annual \(fixture.facts.lineage)")
        try fixture.say("SUBSCRIPTION_PAUSED", becomes: .paused, showing: "paywall", "subscription_status")
        try fixture.say("SUBSCRIPTION_REVOKED", becomes: .revoked, showing: "paywall", "subscription_status")
    }

    /// By what Google said then, whatever it says now; and nothing is acknowledged again.
    @Test func replayEndsInTheSameState() throws {
        var fixture = try Fixture()
        try fixture.say("SUBSCRIPTION_PURCHASED", becomes: .active, showing: "paywall", "subscription_status")
        fixture.facts.lineage = SimulatedGooglePlay.lineage(of: fixture.facts)
        try fixture.say("SUBSCRIPTION_RENEWED", becomes: .active, showing: "subscription_status")
        #expect(try fixture.post(try fixture.delivery("TEST")).status == 204)
        let held = try fixture.entitlements()
        try fixture.put(try fixture.delivery("SUBSCRIPTION_EXPIRED"))
        for mode in [["--dry-run"], []] {
            let replay = fixture.server.paycast(["replay", "--since", "start"] + mode)
            #expect(try replay.waitForExit() == 0, "\(replay.errors)")
            let changed = mode.isEmpty ? "changed" : "would change"
            #expect(replay.output.contains("3 read, 0 \(changed), 1 skipped"), "\(replay.output)")
        }
        #expect(try fixture.entitlements() == held && held.contains(#""state":"active""#), "\(held)")
        try fixture.waitForJob("acknowledge subscriptions/paycast.pro.monthly \(fixture.facts.lineage)")
    }

    @Test func purchaseIsVoided() throws {
        var fixture = try Fixture(kind: .nonConsumable)
        try fixture.say(
            "ONE_TIME_PRODUCT_PURCHASED/pending",
            becomes: .pending,
            showing: "paywall",
            "subscription_status"
        )
        try fixture.say("ONE_TIME_PRODUCT_PURCHASED", becomes: .owned, showing: "paywall", "subscription_status")
        #expect(try fixture.post(try fixture.delivery("VOIDED_PURCHASE/partial")).status == 204)
        try fixture.say("VOIDED_PURCHASE", becomes: .revoked, showing: "paywall", "subscription_status")
    }

    /// An order that is no purchase at Google: nobody gets what is paid, so Google is to give the money back.
    @Test func contradictionIsNotAcknowledged() throws {
        var fixture = try Fixture(options: ["--provider", "apple"])
        #expect(try fixture.post(try fixture.delivery("SUBSCRIPTION_PURCHASED")).status == 204)
        let client = HTTPClient(timeout: .seconds(60))
        let metrics = try client.send("GET", to: fixture.server.url + "/metrics").body
        let count = #"paycast_events_total{provider="google",outcome="quarantined"} 1"#
        #expect(String(decoding: metrics, as: UTF8.self).contains(count))
        // In their order: when a later purchase is acknowledged, nothing waits before it.
        let refunded = SimulatedGooglePlay.lineage(of: fixture.facts)
        fixture.token = .random()
        fixture.facts = SimulatedSubscription(product: fixture.facts.product, order: fixture.token)
        #expect(try fixture.post(try fixture.delivery("SUBSCRIPTION_PURCHASED")).status == 204)
        let bought = SimulatedGooglePlay.lineage(of: fixture.facts)
        try fixture.waitForJob("acknowledge subscriptions/paycast.pro.monthly \(bought)")
        let told = try client.send("GET", to: fixture.server.url + "/demo/api/google/jobs").body
        #expect(!String(decoding: told, as: UTF8.self).contains(refunded))
    }

    /// What a store says is text, wherever it stands in a template.
    @Test func markupIsEscapedOnThePage() throws {
        var fixture = try Fixture(kind: .nonConsumable)
        fixture.facts.product = #""><script>alert(1)</script>"#
        #expect(try fixture.post(try fixture.delivery("ONE_TIME_PRODUCT_PURCHASED")).status == 204)
        let message = try fixture.page.message().data ?? ""
        #expect(message.contains("&lt;script&gt;") && !message.contains("<script>"), "\(message)")
    }

    @Test func badDeliveriesAreAnswered() throws {
        let fixture = try Fixture(environment: ["PAYCAST_GOOGLE_PACKAGE": SimulatedGooglePlay.package])
        var stranger = try fixture.delivery("SUBSCRIPTION_PURCHASED")
        stranger.headers = []
        #expect(try fixture.post(stranger).status == 401)
        var forged = try fixture.delivery("SUBSCRIPTION_PURCHASED")
        forged.headers = [("Authorization", "\(forged.headers[0].1.dropLast(4))AAAA")]
        #expect(try fixture.post(forged).status == 401)
        let other = try fixture.post(try fixture.delivery("SUBSCRIPTION_PURCHASED", app: "com.example.other"))
        #expect(other.status == 503 && other.text.contains(#""error":"wrong_app""#), "\(other)")
        var huge = try fixture.delivery("SUBSCRIPTION_PURCHASED")
        huge.body += [UInt8](repeating: 32, count: 256 * 1024)
        #expect(try fixture.post(huge).status == 413)
        var senseless = try fixture.delivery("SUBSCRIPTION_PURCHASED")
        senseless.body = Array("{".utf8)
        #expect(try fixture.post(senseless).status == 204)
    }

    /// With the API down nothing is stored and nothing is lost: Pub/Sub delivers again. The API is another development
    /// server's stand-in, which knows the service account by its key file.
    @Test func laterDeliveryApplies() throws {
        let google = try PaycastServer()
        let api = "\(google.url)/demo/api/google"
        let pem = try DevelopmentWorkspace.existing(in: google.folder.path).google.pem()
        let key = pem.split(separator: "\n").joined(separator: "\\n")
        let account = #"{"type":"service_account","client_email":"a@b.example","private_key_id":"1","#
        let file = google.folder.path + "/account.json"
        let json = #"\#(account)"private_key":"\#(key)\n","token_uri":"\#(api)/token"}"#
        try SmallFile.replace(file, contents: Array(json.utf8))
        let fixture = try Fixture(environment: ["PAYCAST_GOOGLE_CREDENTIALS": file, "PAYCAST_GOOGLE_API_URL": api])
        let delivery = try fixture.delivery("SUBSCRIPTION_PURCHASED")
        try google.stop()
        let refused = try fixture.post(delivery)
        #expect(refused.status == 503 && refused.text.contains(#""error":"store_unreachable""#), "\(refused)")
        try google.start()
        let client = HTTPClient(timeout: .seconds(60))
        for document in delivery.documents {
            #expect(try client.send("PUT", to: api + document.path, body: document.json).status == 200)
        }
        #expect(try fixture.post(delivery).status == 204)
        #expect(try fixture.page.message().data?.contains("target=\"paywall\"") == true)
    }

    /// A server outside development knows no service account that it was not given.
    @Test func unconfiguredServerAsksGoogleToComeBack() throws {
        let server = try PaycastServer([])
        let response = try HTTPClient(timeout: .seconds(60)).send("POST", to: server.url + "/webhooks/google", body: [])
        #expect(response.status == 503)
        #expect(String(decoding: response.body, as: UTF8.self).contains("not_configured"))
    }
}

extension RunningProcess {
    /// What stands behind a name in a command's answer.
    fileprivate func value(_ name: String) throws -> String {
        let line = output.split(separator: "\n").first { $0.hasPrefix(name + " ") }
        return String(try #require(line).split(separator: " ").last ?? "")
    }
}
