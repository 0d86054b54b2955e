import Crypto
import Domain
import Encoding
import HTTPClient
import Support
import TestSupport
import Testing

/// A machine whose clock is minutes off is told by the stores' word, and not compared with itself.
@Suite(.blocking, .enabled(if: FakeClock.isInstalled)) struct WrongClockTests {
    private static let key = "key-key-key-key-key-key"
    private static let secret = "whsec_0123456789abcdef"
    private static let settings = [
        "PAYCAST_API_KEY": key, "PAYCAST_STREAM_KEYS": "stream-stream-stream-0", "PAYCAST_STRIPE_SECRETS": secret,
    ]
    private let client = HTTPClient(timeout: .seconds(20))

    private func server(_ clock: [String: String], _ settings: [String: String] = [:]) throws -> PaycastServer {
        try PaycastServer([], environment: Self.settings.merging(settings) { $1 }.merging(clock) { $1 })
    }

    private func ready(_ server: PaycastServer) throws -> (status: Int, text: String) {
        let answer = try client.send("GET", to: server.url + "/ready")
        return (answer.status, String(decoding: answer.body, as: UTF8.self))
    }

    /// The number of seconds that `/ready` states.
    private func ahead(_ server: PaycastServer) throws -> Int64? {
        try JSONNode(ready(server).text)?["clock"]?["ahead_seconds"]?.integer
    }

    /// A genuine event of Stripe's that says nothing.
    private func deliver(_ number: Int, to server: PaycastServer, signedAt: Int64) throws -> String {
        let id = "evt_1NG8Du2eZvKYlo2C\(number)"
        let body = Array(
            """
            {"object":"event","id":"\(id)","type":"ping","created":\(signedAt),"livemode":true,
            "data":{"object":{"object":"none"}}}
            """.utf8
        )
        let proof = Hex.encode(HMAC.authenticate(Array("\(signedAt).".utf8) + body, key: Array(Self.secret.utf8)))
        let headers = [("Stripe-Signature", "t=\(signedAt),v1=\(proof)")]
        let answer = try client.send("POST", to: server.url + "/webhooks/stripe", headers: headers, body: body)
        return String(decoding: answer.body, as: UTF8.self)
    }

    /// On another machine than the server's, whose clock is right.
    private func doctor(_ server: PaycastServer) throws -> String {
        try server.doctor(key: Self.key, environment: ["PAYCAST_STRIPE_SECRETS": Self.secret])
    }

    /// Stripe alone, without a key: its deliveries tell.
    @Test func refusedDeliveriesTellTheClock() throws {
        let server = try server(FakeClock.environment("+10m"))
        // Again and again the same one: a stranger has seen it.
        let now = Clock().now().seconds
        let old = try (1...4).map { _ in try deliver(0, to: server, signedAt: now - 3) }
        #expect(old.allSatisfy { $0.contains("signed_in_past") }, "\(old)")
        #expect(try ahead(server) == nil && ready(server).status == 200)
        let refused = try (1...2).map { try deliver($0, to: server, signedAt: now - 3 + Int64($0)) }
        #expect(refused.allSatisfy { $0.contains("signed_in_past") }, "\(refused)")
        let logged = try server.process.errorLine { $0.contains("webhook refused") }
        #expect(logged.contains("compare this machine's clock") && !logged.contains("setting="), "\(logged)")
        let line = try server.process.errorLine { $0.contains("clock is off reason=") }
        #expect(line.contains("s ahead of that of Stripe: genuine deliveries are refused; synchronize it"), "\(line)")
        let answer = try ready(server)
        #expect(answer.status == 503 && answer.text.contains("this server's clock is 6"), "\(answer)")
        #expect(answer.text.contains("s ahead of that of Stripe: genuine deliveries are refused"), "\(answer)")
        #expect(try 600...640 ~= ahead(server) ?? 0)
        let found = try doctor(server)
        #expect(found.contains("FAIL  clock") && found.contains("s ahead of that of Stripe"), "\(found)")
        let metrics = String(
            decoding: try client.send("GET", to: server.url + "/metrics").body,
            as: UTF8.self
        )
        #expect(metrics.contains("paycast_clock_ahead_seconds 6"))
        #expect(metrics.contains(#"paycast_webhooks_refused_in_a_row{provider="stripe"} 6"#))
    }

    /// With a key, the first answer tells, before anything is delivered. Once the clock is set, the sentence goes.
    @Test(arguments: [("-10m", "behind"), ("+10m", "ahead of")]) func answersTellTheClock(
        _ offset: String,
        _ way: String
    ) throws {
        let stripe = AnsweringServer { _ in
            .init(404, body: "{}", headers: [("Date", Clock().now().httpDate)])
        }
        let folder = TemporaryFolder()
        let file = folder.write(offset, to: "offset")
        let server = try server(
            FakeClock.environment(file: file),
            ["PAYCAST_STRIPE_API_KEY": "rk_live_0123456789abcdef", "PAYCAST_STRIPE_API_URL": stripe.url]
        )
        _ = try server.process.errorLine { $0.contains("clock is off reason=") }
        let answer = try ready(server)
        #expect(answer.status == 503 && answer.text.contains(" s \(way) that of Stripe: genuine"), "\(answer)")
        #expect(try doctor(server).contains("FAIL  clock"))
        folder.write("+0", to: "offset")
        try Deadline(.seconds(60)).wait(for: "the right time") { try ready(server).status == 200 }
        #expect(try abs(ahead(server) ?? 99) <= 2)
        #expect(try doctor(server).contains("ok    clock"))
        #expect(try deliver(1, to: server, signedAt: Clock().now().seconds).contains(#""outcome""#))
    }
}
