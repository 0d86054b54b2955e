import Crypto
import Domain
import HTTPClient
import Simulator
import Support
import TestSupport
import Testing

/// A store whose API never answers hurts itself alone.
@Suite(.blocking) struct SlowStoreTests {
    /// A server whose Google grants tokens and never answers a call about a purchase, and whose Stripe answers.
    private struct Fixture {
        let server: PaycastServer
        let workspace: DevelopmentWorkspace
        private let folder = TemporaryFolder()
        private let tokens: AnsweringServer
        private let google = AnsweringServer { _ in .silence }
        private let stripe = AnsweringServer { _ in .init(404, body: "{}") }

        init() throws {
            tokens = AnsweringServer { _ in .init(200, body: #"{"access_token":"ya29.1","expires_in":3599}"#) }
            let pem = try RSAPrivateKey.generate().pem()
            let key = pem.split(separator: "\n").joined(separator: "\\n")
            let account = #"{"type":"service_account","client_email":"a@b.example","private_key_id":"1","#
            let file = #"\#(account)"private_key":"\#(key)\n","token_uri":"\#(tokens.url)"}"#
            server = try PaycastServer(environment: [
                "PAYCAST_GOOGLE_CREDENTIALS": folder.write(file, to: "account.json"),
                "PAYCAST_GOOGLE_API_URL": google.url, "PAYCAST_STRIPE_API_KEY": "rk_test_1",
                "PAYCAST_STRIPE_API_URL": stripe.url,
            ])
            workspace = try DevelopmentWorkspace.existing(in: server.folder.path)
        }

        /// Pushes about as many purchases; nobody waits for the answers.
        func push(_ count: Int) throws -> [RawSocket] {
            let store = SimulatedGooglePlay(key: workspace.google)
            return try (1...count).map { number in
                let facts = SimulatedSubscription(product: "paycast.pro.monthly", lineage: "token.\(number)")
                let event = SimulatedEvent(type: "SUBSCRIPTION_RENEWED", facts: facts, now: Clock().now())
                let socket = try RawSocket(port: server.port, timeout: .seconds(60))
                try socket.send(request(try store.delivery(event)))
                return socket
            }
        }

        func tellStripe() throws -> HTTPClient.Response {
            let facts = SimulatedSubscription(product: "paycast.pro.monthly", lineage: "sub_1")
            let event = SimulatedEvent(type: "customer.subscription.created", facts: facts, now: Clock().now())
            let delivery = try SimulatedStripe(workspace).delivery(event)
            return try HTTPClient(timeout: .seconds(60))
                .send("POST", to: server.url + delivery.path, headers: delivery.headers, body: delivery.body)
        }

        func metric(_ series: String) throws -> Int? {
            let page = String(
                decoding: try HTTPClient(timeout: .seconds(20)).send("GET", to: server.url + "/metrics").body,
                as: UTF8.self
            )
            let line = page.split(separator: "\n").first { $0.hasPrefix(series + " ") }
            return line.flatMap { Int($0.dropFirst(series.count + 1)) }
        }

        private func request(_ delivery: SimulatedDelivery) -> [UInt8] {
            let headers = delivery.headers.map { "\($0.0): \($0.1)\r\n" }.joined()
            let head = "POST \(delivery.path) HTTP/1.1\r\nHost: localhost\r\n\(headers)"
            return Array("\(head)Content-Length: \(delivery.body.count)\r\n\r\n".utf8) + delivery.body
        }
    }

    /// It took 54.6 s behind 60 of them.
    @Test func anotherStoreIsAnsweredAtOnce() throws {
        let fixture = try Fixture()
        let pushes = try fixture.push(200)
        try Deadline(.seconds(60)).wait(for: "all pushes") { try fixture.metric("paycast_connections") ?? 0 > 200 }
        let start = monotonicNanoseconds()
        let answer = try fixture.tellStripe()
        #expect(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
        // It would wait for several API calls, each of which hangs for 8 s.
        #expect(monotonicNanoseconds() - start < 30_000_000_000)
        let replay = fixture.server.paycast("replay", "--since", "start", "--dry-run")
        #expect(try replay.waitForExit(timeout: .seconds(60)) == 0, "\(replay.errors)")
        withExtendedLifetime(pushes) {}
    }

    @Test func whatWaitsIsTold() throws {
        let fixture = try Fixture()
        let answers = try fixture.push(3).map { try $0.read(until: "}") }
        #expect(answers.allSatisfy { $0.contains(" 503 ") && $0.contains("store_unreachable") }, "\(answers)")
        let ready = try HTTPClient(timeout: .seconds(20)).send("GET", to: fixture.server.url + "/ready")
        let text = String(decoding: ready.body, as: UTF8.self)
        #expect(ready.status == 503, "\(text)")
        #expect(text.contains("the API of google has not answered since"), "\(text)")
        #expect(text.contains("deliveries were answered 503 for that, 3 times"), "\(text)")
    }

    /// Eight are asked about and 250 wait; the others are told at once to come back, and nobody waits at the end.
    @Test func fullQueueIsAnsweredAtOnce() throws {
        let fixture = try Fixture()
        let pushes = try fixture.push(300)
        let waiting = #"paycast_calls_waiting{queue="google"}"#
        try Deadline(.seconds(60)).wait(for: "a full queue") { try fixture.metric(waiting) ?? 0 >= 200 }
        let answers = pushes.suffix(40).compactMap { try? $0.read(until: "}") }
        let refused = answers.filter { $0.contains("\"error\":\"busy\"") }
        #expect(refused.count >= 10, "\(answers)")
        #expect(refused.allSatisfy { $0.contains(" 503 ") && $0.contains("\r\nRetry-After: ") })
        #expect(try fixture.metric(#"paycast_calls_refused_total{queue="google"}"#) ?? 0 >= 10)
        #expect(try fixture.tellStripe().status == 200)
        fixture.server.process.send(.terminate)
        #expect(try fixture.server.process.waitForExit(timeout: .seconds(60)) == 0)
    }
}
