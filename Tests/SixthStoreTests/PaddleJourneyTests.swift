import Crypto
import Domain
import Encoding
import HTTPClient
import Support
import TestSupport
import Testing

/// A store that Paycast does not ship with, in a folder and a line of its own: from its webhook to the page.
@Suite(.blocking) struct PaddleJourneyTests {
    private static let key = String(repeating: "k", count: 32)
    private static let secret = "pdl_ntfset_0123456789abcdef"

    private let client = HTTPClient(timeout: .seconds(20))
    private let server: PaycastServer

    init() throws {
        server = try PaycastServer(
            [],
            program: PaycastProgram.folder + "/SixthStore",
            environment: [
                "PAYCAST_API_KEY": Self.key, "PAYCAST_STREAM_KEYS": Self.key, "PAYCAST_PADDLE_SECRET": Self.secret,
            ]
        )
    }

    private struct Order {
        var token: String
        var stream: String
        var since: String
    }

    private func order(of user: String) throws -> Order {
        let response = try client.send(
            "POST",
            to: server.url + "/orders",
            headers: [("Authorization", "Bearer \(Self.key)"), ("Content-Type", "application/json")],
            body: Array(#"{"user":"\#(user)","product":"pro_monthly","provider":"paddle"}"#.utf8)
        )
        let answer = try #require(JSONNode(response.body))
        return Order(
            token: try #require(answer["order"]?.text),
            stream: try #require(answer["signed_stream"]?.text),
            since: try #require(answer["since"]?.text)
        )
    }

    private func page(of order: Order) throws -> EventStreamClient {
        try EventStreamClient(port: server.port, path: "/streams?name=\(order.stream)&since=\(order.since)")
    }

    /// `subscription.…` as Paddle writes it.
    private func body(_ type: String, status: String, order: Order, id: String = "evt_1") -> [UInt8] {
        let (now, end) = (Clock().now(), Clock().now() + .seconds(30 * 86_400))
        return Array(
            """
            {"event_id":"\(id)","event_type":"\(type)","occurred_at":"\(now.iso8601)","notification_id":"ntf_1",\
            "data":{"id":"sub_1","status":"\(status)","customer_id":"ctm_1","custom_data":{"order":"\(order.token)"},\
            "items":[{"price":{"id":"pri_1","product_id":"pro_monthly"}}],"scheduled_change":null,\
            "current_billing_period":{"starts_at":"\(now.iso8601)","ends_at":"\(end.iso8601)"}}}
            """.utf8
        )
    }

    private func post(_ body: [UInt8], secret: String = secret, age: Int64 = 0) throws -> (Int, String) {
        let stamp = "\(Clock().now().seconds - age)"
        let proof = Hex.encode(HMAC.authenticate(Array("\(stamp):".utf8) + body, key: Array(secret.utf8)))
        return try post(body, header: "ts=\(stamp);h1=\(proof)")
    }

    private func post(_ body: [UInt8], header: String?) throws -> (Int, String) {
        let headers = header.map { [("Paddle-Signature", $0)] } ?? []
        let response = try client.send("POST", to: server.url + "/webhooks/paddle", headers: headers, body: body)
        let answer = try #require(JSONNode(response.body))
        return (response.status, answer["outcome"]?.text ?? answer["error"]?.text ?? "")
    }

    @Test func purchaseSwapsThePage() throws {
        let order = try order(of: "42")
        let page = try page(of: order)
        let created = body("subscription.created", status: "active", order: order)
        #expect(try post(created) == (200, "applied"))
        let swap = try page.message().data ?? ""
        #expect(swap.contains(#"action="replace" target="paywall""#), "\(swap)")
        #expect(try post(created) == (200, "duplicate"))
        try server.restart()
        #expect(
            try post(body("subscription.canceled", status: "canceled", order: order, id: "evt_2")) == (200, "applied")
        )
        // A page that comes late is shown the newest state.
        let late = try self.page(of: order).message().data ?? ""
        #expect(late.contains(#"target="paywall""#) && late != swap, "\(late)")
    }

    @Test func entitlementsNameTheStore() throws {
        let order = try order(of: "43")
        #expect(try post(body("subscription.created", status: "trialing", order: order)) == (200, "applied"))
        let answer = try client.send(
            "GET",
            to: server.url + "/users/43/entitlements",
            headers: [("Authorization", "Bearer \(Self.key)")]
        )
        let text = String(decoding: answer.body, as: UTF8.self)
        #expect(text.contains(#""provider":"paddle""#) && text.contains(#""active":true"#), "\(text)")
    }

    @Test func strangersAreRefused() throws {
        let order = try order(of: "44")
        let created = body("subscription.created", status: "active", order: order)
        #expect(try post(created, secret: "another") == (400, "bad_signature"))
        #expect(try post(created, age: 4000) == (400, "signed_in_past"))
        #expect(try post(created, age: -4000) == (400, "signed_in_future"))
        #expect(try post(created, header: nil) == (400, "missing_signature"))
        #expect(try post(created, header: "ts=1;h1=zz") == (400, "missing_signature"))
        #expect(try post(Array("{}".utf8)) == (400, "invalid_payload"))
        #expect(try post(Array("nonsense".utf8)) == (400, "invalid_json"))
        #expect(try post(created) == (200, "applied"))
        let metrics = try client.send("GET", to: server.url + "/metrics")
        let line = #"paycast_webhooks_refused_total{provider="paddle",reason="bad_signature"} 1"#
        #expect(String(decoding: metrics.body, as: UTF8.self).contains(line))
    }
}
