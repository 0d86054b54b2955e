import Encoding
import HTTPClient
import TestSupport
import Testing

/// A server that lacks something says so, at its start and to whoever asks.
@Suite(.blocking) struct UnconfiguredJourneyTests {
    private static let key = "key-key-key-key-key"

    private func send(_ method: String, path: String, body: String?, to server: PaycastServer) throws
        -> HTTPClient.Response
    {
        try HTTPClient(timeout: .seconds(20)).send(
            method,
            to: server.url + path,
            headers: [("Authorization", "Bearer \(Self.key)")],
            body: body.map { Array($0.utf8) }
        )
    }

    private func metrics(_ server: PaycastServer) throws -> String {
        String(decoding: try send("GET", path: "/metrics", body: nil, to: server).body, as: UTF8.self)
    }

    @Test func firstLinesSayWhatIsServedAndWhatIsMissing() throws {
        let nothing = try PaycastServer([]).process
        let stores = try nothing.errorLine { $0.contains(" stores ") }
        #expect(stores.contains("served=none"), "\(stores)")
        #expect(stores.contains("google (PAYCAST_GOOGLE_PACKAGE and PAYCAST_GOOGLE_CREDENTIALS are missing)"))
        _ = try nothing.errorLine { $0.contains("no store is configured") }
        _ = try nothing.errorLine { $0.contains("no stream key is set") }
        #expect(nothing.errors.split(separator: "\n").first?.contains(" stores ") == true, "\(nothing.errors)")
        let secret = ["PAYCAST_STRIPE_SECRETS": "whsec_0123456789", "SECRET_KEY_BASE": "0123456789abcdef"]
        let one = try PaycastServer([], environment: secret).process
        _ = try one.errorLine { $0.contains(" stores served=stripe not_served=\"apple (PAYCAST_APPLE_BUNDLE_ID is") }
        #expect(!one.errors.contains("not configured"))
    }

    struct Route: Sendable, CustomTestStringConvertible {
        var method: String
        var path: String
        var body: String?

        var testDescription: String { path }
    }

    /// None of them hands out an empty name.
    @Test(arguments: [
        Route(method: "POST", path: "/orders", body: #"{"user":"42","product":"pro"}"#),
        Route(method: "GET", path: "/users/42/stream"),
    ]) func namesNeedAKey(_ route: Route) throws {
        let server = try PaycastServer([], environment: ["PAYCAST_API_KEY": Self.key])
        let response = try send(route.method, path: route.path, body: route.body, to: server)
        #expect(response.status == 503)
        #expect(JSONNode(String(decoding: response.body, as: UTF8.self))?["error"]?.text == "not_configured")
        #expect(response.header("Retry-After") != nil)
    }

    @Test func notReadyWithoutStoreAndKey() throws {
        let server = try PaycastServer([], environment: ["PAYCAST_API_KEY": Self.key])
        let ready = try send("GET", path: "/ready", body: nil, to: server)
        #expect(ready.status == 503)
        let text = String(decoding: ready.body, as: UTF8.self)
        for problem in ["no store is configured", "no stream key is set"] { #expect(text.contains(problem), "\(text)") }
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var path: String
        var body = "{}"
        var isDevelopment = false
        var needsKey = false
        var status: Int
        /// Of the log's line.
        var fields: String
        var series: String
    }

    /// Each is counted; the log has one line for all of them.
    @Test(arguments: [
        Refusal(
            testDescription: "a store that is not configured",
            path: "/webhooks/purchasekit",
            status: 503,
            fields: "webhook refused provider=purchasekit reason=not_configured",
            series: #"paycast_webhooks_refused_total{provider="purchasekit",reason="not_configured"}"#
        ),
        Refusal(
            testDescription: "a webhook that nobody signed",
            path: "/webhooks/stripe",
            isDevelopment: true,
            status: 400,
            fields: "webhook refused provider=stripe reason=missing_signature",
            series: #"paycast_webhooks_refused_total{provider="stripe",reason="missing_signature"}"#
        ),
        Refusal(
            testDescription: "a transaction for which nothing is configured",
            path: "/transactions/apple",
            body: #"{"signedTransaction":"a.b.c"}"#,
            needsKey: true,
            status: 503,
            fields: "transaction refused reason=not_configured",
            series: #"paycast_posts_refused_total{provider="apple",reason="not_configured"}"#
        ),
        Refusal(
            testDescription: "a receipt for which nothing is configured",
            path: "/receipts/apple",
            body: #"{"receipt":"AAAA"}"#,
            needsKey: true,
            status: 503,
            fields: "receipt refused reason=not_configured",
            series: #"paycast_posts_refused_total{provider="apple",reason="not_configured"}"#
        ),
    ]) func refusalsAreLoggedOnceAndCounted(_ given: Refusal) throws {
        let arguments = given.isDevelopment ? ["--dev"] : []
        let server = try PaycastServer(arguments, environment: ["PAYCAST_API_KEY": Self.key])
        for _ in 1...3 {
            // Without the key, which marks an operator's probe.
            let answer = try HTTPClient(timeout: .seconds(20)).send(
                "POST",
                to: server.url + given.path,
                headers: given.needsKey ? [("Authorization", "Bearer \(Self.key)")] : [],
                body: Array(given.body.utf8)
            )
            #expect(answer.status == given.status)
        }
        #expect(try metrics(server).contains(given.series + " 3\n"))
        _ = try server.process.errorLine { $0.contains(given.fields) && $0.contains(" count=1") }
        #expect(server.process.errors.split(separator: "\n").filter { $0.contains(" refused ") }.count == 1)
    }

    @Test func forgedNamesAreLoggedAndCounted() throws {
        let server = try PaycastServer()
        for _ in 1...2 { #expect(try send("GET", path: "/streams?name=x", body: nil, to: server).status == 403) }
        #expect(try metrics(server).contains(#"paycast_stream_names_refused_total{reason="forged"} 2"# + "\n"))
        let line = try server.process.errorLine { $0.contains("stream name refused reason=forged") }
        #expect(line.contains("SECRET_KEY_BASE"))
    }
}
