import Crypto
import Domain
import Encoding
import HTTPClient
import Support
import TestSupport
import Testing

/// A wrong secret is told to the operator, and strangers cannot make it look as if there were one.
@Suite(.blocking) struct RefusedDeliveriesTests {
    private static let key = "key-key-key-key-key-key"
    private static let secret = "whsec_0123456789abcdef"
    private let client = HTTPClient(timeout: .seconds(20))
    private let server: PaycastServer

    init() throws {
        server = try PaycastServer(
            [],
            environment: [
                "PAYCAST_API_KEY": Self.key, "PAYCAST_STREAM_KEYS": "stream-stream-stream-0",
                "PAYCAST_STRIPE_SECRETS": Self.secret,
            ]
        )
    }

    private func get(_ path: String) throws -> String {
        String(decoding: try client.send("GET", to: server.url + path).body, as: UTF8.self)
    }

    /// An event of Stripe's that says nothing.
    private func deliver(_ number: Int, secret: String) throws -> Int {
        let now = "\(Clock().now().seconds)"
        let body = Array(
            """
            {"object":"event","id":"evt_1NG8Du2eZvKYlo2C\(number)","type":"ping","created":\(now),"livemode":true,
            "data":{"object":{"object":"none"}}}
            """.utf8
        )
        let proof = Hex.encode(HMAC.authenticate(Array("\(now).".utf8) + body, key: Array(secret.utf8)))
        let headers = [("Stripe-Signature", "t=\(now),v1=\(proof)")]
        return try client.send("POST", to: server.url + "/webhooks/stripe", headers: headers, body: body).status
    }

    @Test func wrongSecretIsTold() throws {
        #expect(try get("/ready").contains(#""warnings":[]"#))
        for number in 1...3 { #expect(try deliver(number, secret: "whsec_another") == 400) }
        let line = try server.process.errorLine { $0.contains("webhook refused provider=stripe reason=bad_signature") }
        #expect(line.contains("setting=PAYCAST_STRIPE_SECRETS event=evt_1NG8Du2eZvKYlo2C1"), "\(line)")
        let sentence =
            "Stripe: the last 3 deliveries were refused (bad_signature, the newest evt_1NG8Du2eZvKYlo2C3), the first less "
            + "than a minute ago: compare PAYCAST_STRIPE_SECRETS"
        let ready = try get("/ready")
        #expect(ready.contains(sentence) && ready.contains(#""ready":true"#), "\(ready)")
        let doctor = try self.doctor()
        #expect(doctor.contains(sentence), "\(doctor)")
        let accepted = #"paycast_webhook_last_accepted_timestamp_seconds{provider="stripe"} "#
        #expect(try get("/metrics").contains(accepted + "0\n"))
        #expect(try get("/metrics").contains(#"paycast_webhooks_refused_in_a_row{provider="stripe"} 3"#))
        #expect(try deliver(4, secret: Self.secret) == 200)
        #expect(try get("/ready").contains(#""warnings":[]"#))
        #expect(try !get("/metrics").contains(accepted + "0\n"))
        #expect(try get("/metrics").contains(#"paycast_webhooks_refused_in_a_row{provider="stripe"} 0"#))
    }

    /// A page whose name is signed by another app, and one of this app's.
    @Test func refusedNamesCountInARow() throws {
        func names() throws -> Int? {
            let line = try get("/metrics").split(separator: "\n").first {
                $0.hasPrefix("paycast_stream_names_refused_in_a_row ")
            }
            return line?.split(separator: " ").last.flatMap { Int($0) }
        }
        // A stranger's junk has not the form of a signed name.
        for _ in 1...12 {
            #expect(try client.send("GET", to: server.url + "/entitlements?name=forged").status == 403)
        }
        #expect(try names() == 0)
        let forged = "ImNoYXQi--" + String(repeating: "0", count: 64)
        for _ in 1...3 {
            #expect(try client.send("GET", to: server.url + "/entitlements?name=\(forged)").status == 403)
        }
        #expect(try names() == 3)
        let key = [("Authorization", "Bearer \(Self.key)")]
        let stream = try client.send("GET", to: server.url + "/users/42/stream", headers: key)
        let name = try #require(JSONNode(stream.body)?["signed_stream"]?.text)
        let own = server.url + "/entitlements?name=\(PercentEncoding.encode(name))"
        #expect(try client.send("GET", to: own).status == 200)
        #expect(try names() == 0)
    }

    /// It neither raises the alarm nor takes the minute in which a store's own delivery is logged.
    @Test func junkRaisesNoAlarm() throws {
        for number in 1...20 {
            let body = Array(#"{"id":"\#(number)"}"#.utf8)
            let headers = [("Stripe-Signature", "t=\(Clock().now().seconds),v1=00")]
            let answer = try client.send("POST", to: server.url + "/webhooks/stripe", headers: headers, body: body)
            #expect(answer.status == 400)
        }
        #expect(try get("/ready").contains(#""warnings":[]"#))
        #expect(try get("/metrics").contains(#"paycast_webhooks_refused_in_a_row{provider="stripe"} 0"#))
        let junk = try server.process.errorLine { $0.contains("webhook refused") }
        #expect(!junk.contains("setting=") && !junk.contains("event="), "\(junk)")
        #expect(try deliver(1, secret: "whsec_another") == 400)
        _ = try server.process.errorLine { $0.contains("setting=PAYCAST_STRIPE_SECRETS") }
    }

    @Test func doctorsProbesAreNoRefusals() throws {
        #expect(try doctor().contains("/webhooks/stripe refuses unsigned requests, as it should"))
        #expect(!server.process.errors.contains("webhook refused"), "\(server.process.errors)")
        let counted = try get("/metrics").split(separator: "\n").filter {
            $0.hasPrefix("paycast_webhooks_refused_total{") && !$0.hasSuffix(" 0")
        }
        #expect(counted.isEmpty, "\(counted)")
    }

    /// As the libraries of Prometheus name them.
    @Test func theProcessIsMeasured() throws {
        let page = try get("/metrics")
        func value(_ name: String) -> Int? {
            let line = page.split(separator: "\n").first { $0.hasPrefix(name + " ") }
            return line?.split(separator: " ").last.flatMap { Int($0) }
        }
        #expect(page.contains(#"paycast_build_info{version=""#))
        #expect(abs((value("process_start_time_seconds") ?? 0) - Int(Clock().now().seconds)) < 600)
        #expect((1 << 20...1 << 31).contains(value("process_resident_memory_bytes") ?? 0))
        #expect(value("process_max_fds") == server.process.fileLimit)
        let descriptors = try #require(value("process_open_fds"))
        #expect((8..<200).contains(descriptors), "\(descriptors)")
    }

    private func doctor() throws -> String {
        try server.doctor(key: Self.key, environment: ["PAYCAST_STRIPE_SECRETS": Self.secret])
    }
}
