import Crypto
import Domain
import Encoding
import HTTPClient
import Simulator
import Support
import TestSupport
import Testing

/// A store whose API accepts connections and never answers is told to the operator, with what waits for it.
@Suite(.blocking) struct SilentStoreTests {
    /// A server as in production, with Stripe's recommended key.
    private struct Shop {
        static let key = "key-key-key-key-key-key"
        static let secret = "whsec_0123456789abcdef"

        let server: PaycastServer
        let isFrozen = SharedValue(true)
        private let stripe: AnsweringServer
        private let client = HTTPClient(timeout: .seconds(60))

        init() throws {
            stripe = AnsweringServer { [isFrozen] _ in isFrozen.value ? .silence : .init(404, body: "{}") }
            server = try PaycastServer(
                [],
                environment: [
                    "PAYCAST_API_KEY": Shop.key, "PAYCAST_KEYS": "support:all:support-key-0123456789",
                    "PAYCAST_STREAM_KEYS": "stream-stream-stream-0", "PAYCAST_STRIPE_SECRETS": Shop.secret,
                    "PAYCAST_STRIPE_API_KEY": "rk_live_0123456789abcdef", "PAYCAST_STRIPE_API_URL": stripe.url,
                ]
            )
        }

        func get(_ path: String, _ headers: [(String, String)] = []) throws -> (status: Int, text: String) {
            let answer = try client.send("GET", to: server.url + path, headers: headers)
            return (answer.status, String(decoding: answer.body, as: UTF8.self))
        }

        /// Genuine events of as many subscriptions at once.
        func deliver(_ numbers: ClosedRange<Int>) throws -> [String] {
            let store = SimulatedStripe(secret: Shop.secret)
            let sockets = try numbers.map { number in
                let facts = SimulatedSubscription(product: "pro", lineage: "sub_\(number)")
                var event = SimulatedEvent(type: "customer.subscription.created", facts: facts, now: Clock().now())
                event.environment = .production
                let delivery = try store.delivery(event)
                let headers = delivery.headers.map { "\($0.0): \($0.1)\r\n" }.joined()
                let socket = try RawSocket(port: server.port, timeout: .seconds(60))
                let head = "POST \(delivery.path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\(headers)"
                try socket.send(Array("\(head)Content-Length: \(delivery.body.count)\r\n\r\n".utf8) + delivery.body)
                return socket
            }
            return try sockets.map { String(decoding: try $0.readToEnd(), as: UTF8.self) }
        }

        /// What the console shows to a support person.
        func attention() throws -> String {
            let form = [("Sec-Fetch-Site", "same-origin"), ("Content-Type", "application/x-www-form-urlencoded")]
            let body = Array("key=support-key-0123456789".utf8)
            let session = try client.send("POST", to: server.url + "/console/session", headers: form, body: body)
            let cookie = try #require(session.header("Set-Cookie")).prefix { $0 != ";" }
            return try get("/console/attention", [("Cookie", String(cookie))]).text
        }
    }

    @Test func deliveriesThatWaitAreTold() throws {
        let shop = try Shop()
        let two = try shop.deliver(1...2)
        #expect(two.allSatisfy { $0.contains(" 503 ") && $0.contains("store_unreachable") }, "\(two)")
        #expect(try shop.get("/ready").text.contains(#""problems":[]"#))
        let third = try shop.deliver(3...3)
        #expect(third.allSatisfy { $0.contains(" 503 ") }, "\(third)")
        let line = try shop.server.process.errorLine { $0.contains("store does not answer provider=stripe since=") }
        #expect(line.contains("deliveries="), "\(line)")
        let sentences = [
            "the API of stripe has not answered since 20", "deliveries were answered 503 for that, 3 times",
        ]
        let ready = try shop.get("/ready")
        #expect(ready.status == 503 && sentences.allSatisfy(ready.text.contains), "\(ready)")
        #expect(try shop.get("/metrics").text.contains(#"paycast_store_deliveries_waiting{provider="stripe"} 3"#))
        let doctor = try shop.server.doctor(key: Shop.key, environment: ["PAYCAST_STRIPE_SECRETS": Shop.secret])
        #expect(doctor.contains("FAIL  ready") && sentences.allSatisfy(doctor.contains), "\(doctor)")
        let page = try shop.attention()
        #expect(sentences.allSatisfy(page.contains) && !page.contains("Correct the key"), "\(page)")
        #expect(page.contains("The store sends it again, and it is taken once"), "\(page)")
        // The server finds out by itself: nothing has to be delivered.
        shop.isFrozen.replace(with: false)
        _ = try shop.server.process.errorLine { $0.contains("store answers again provider=stripe deliveries=3") }
        #expect(try shop.get("/ready").text.contains(#""problems":[]"#))
        #expect(try shop.get("/metrics").text.contains(#"paycast_store_deliveries_waiting{provider="stripe"} 0"#))
        #expect(try shop.deliver(1...3).allSatisfy { $0.contains(" 200 ") })
    }

    /// Nobody who cannot sign reaches Stripe, or is counted as one who waits for it.
    @Test func strangersDoNotWait() throws {
        let shop = try Shop()
        let client = HTTPClient(timeout: .seconds(20))
        for _ in 1...5 {
            let headers = [("Stripe-Signature", "t=\(Clock().now().seconds),v1=00")]
            let body = Array(#"{"object":"event","id":"evt_0123456789"}"#.utf8)
            let answer = try client.send("POST", to: shop.server.url + "/webhooks/stripe", headers: headers, body: body)
            #expect(answer.status == 400)
        }
        #expect(try shop.get("/ready").status == 200)
        #expect(try shop.get("/metrics").text.contains(#"paycast_store_deliveries_waiting{provider="stripe"} 0"#))
    }

    /// Webhooks of Apple's need no answer: a warning, since only what no webhook brought is missing.
    @Test func silentHistoryIsAWarning() throws {
        let server = try PaycastServer(
            [],
            environment: [
                "PAYCAST_STREAM_KEYS": "stream-stream-stream-0", "PAYCAST_APPLE_BUNDLE_ID": "com.a,com.b",
                "PAYCAST_APPLE_APP_ID": "1,2", "PAYCAST_APPLE_API_KEY": try PrivateKey.generate(.p256).pem(),
                "PAYCAST_APPLE_API_KEY_ID": "KEY", "PAYCAST_APPLE_API_ISSUER_ID": "issuer",
                "PAYCAST_APPLE_API_URL": "http://127.0.0.1:1",
            ]
        )
        _ = try server.process.errorLine { $0.contains("store does not answer provider=apple") }
        let ready = try HTTPClient(timeout: .seconds(20)).send("GET", to: server.url + "/ready")
        let text = String(decoding: ready.body, as: UTF8.self)
        #expect(ready.status == 200, "\(text)")
        #expect(text.contains("the API of apple has not answered since") && text.contains("is done later"), "\(text)")
    }
}
