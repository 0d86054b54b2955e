import Simulator
import TestSupport
import Testing

/// Every situation of the public interface that is an error, against the real server: its answer, and no trace of it.
@Suite(.blocking) struct BadInputTests {
    struct Attack: Sendable, CustomTestStringConvertible {
        var name: String
        var method = "POST"
        var path: String
        var body = ""
        var isTrusted = true
        var status: Int
        var code: String
        var testDescription: String { name }
    }

    private static let deep = String(repeating: "[", count: 100_000)
    private static let attacks = [
        Attack(name: "no JSON", path: "/webhooks/apple", body: "hello", status: 400, code: "invalid_json"),
        Attack(name: "an array", path: "/webhooks/apple", body: "[]", status: 400, code: "invalid_json"),
        Attack(name: "empty body", path: "/webhooks/apple", status: 400, code: "invalid_json"),
        Attack(name: "deep JSON", path: "/webhooks/apple", body: deep, status: 400, code: "invalid_json"),
        Attack(
            name: "no signedPayload",
            path: "/webhooks/apple",
            body: "{}",
            status: 400,
            code: "missing_signed_payload"
        ),
        Attack(
            name: "version 1",
            path: "/webhooks/apple",
            body: #"{"unified_receipt":{},"notification_type":"DID_RENEW"}"#,
            status: 400,
            code: "v1_notification"
        ),
        Attack(
            name: "no JWS",
            path: "/webhooks/apple",
            body: #"{"signedPayload":"a.b.c"}"#,
            status: 400,
            code: "invalid_jws"
        ),
        Attack(name: "no store", path: "/webhooks/nobody", body: "{}", status: 404, code: "not_found"),
        Attack(name: "unsigned", path: "/webhooks/stripe", body: "{}", status: 400, code: "missing_signature"),
        Attack(name: "unknown route", method: "GET", path: "/nothing", status: 404, code: "not_found"),
        Attack(name: "order without a key", path: "/orders", isTrusted: false, status: 401, code: "unauthorized"),
        Attack(name: "order without JSON", path: "/orders", body: "{", status: 400, code: "invalid_json"),
        Attack(
            name: "order with numbers",
            path: "/orders",
            body: #"{"user":1,"product":2}"#,
            status: 400,
            code: "invalid_json"
        ),
        Attack(
            name: "order of nobody",
            path: "/orders",
            body: #"{"user":"","product":"p"}"#,
            status: 400,
            code: "invalid_user"
        ),
        Attack(
            name: "user with a line break",
            path: "/orders",
            body: #"{"user":"a\r\nb","product":"p"}"#,
            status: 400,
            code: "invalid_user"
        ),
        Attack(
            name: "product of 256 bytes",
            path: "/orders",
            body: #"{"user":"u","product":"\#(String(repeating: "p", count: 256))"}"#,
            status: 400,
            code: "invalid_product"
        ),
        Attack(
            name: "token that is no UUID",
            path: "/orders",
            body: #"{"user":"u","product":"p","token":"0f8fad5b"}"#,
            status: 400,
            code: "invalid_token"
        ),
        Attack(
            name: "another user's token",
            path: "/orders",
            body: #"{"user":"thief","product":"p","token":"0f8fad5b-d9cb-469f-a165-70867728950e"}"#,
            status: 409,
            code: "token_taken"
        ),
        Attack(
            name: "unknown provider",
            path: "/orders",
            body: #"{"user":"u","product":"p","provider":"amazon"}"#,
            status: 400,
            code: "invalid_provider"
        ),
        Attack(
            name: "order in no language",
            path: "/orders",
            body: #"{"user":"u","product":"p","locale":"german"}"#,
            status: 400,
            code: "invalid_locale"
        ),
        Attack(
            name: "page in no language",
            method: "GET",
            path: "/users/u/stream?locale=de%2F..",
            status: 400,
            code: "invalid_locale"
        ),
        Attack(
            name: "entitlements without a key",
            method: "GET",
            path: "/users/1/entitlements",
            isTrusted: false,
            status: 401,
            code: "unauthorized"
        ),
        Attack(
            name: "feed without a key",
            method: "GET",
            path: "/feed",
            isTrusted: false,
            status: 401,
            code: "unauthorized"
        ),
        Attack(name: "feed after garbage", method: "GET", path: "/feed?since=x", status: 400, code: "invalid_cursor"),
        Attack(
            name: "broadcast without a key",
            path: "/broadcasts",
            isTrusted: false,
            status: 401,
            code: "unauthorized"
        ),
        Attack(
            name: "broadcast to nobody",
            path: "/broadcasts",
            body: #"{"html":"x"}"#,
            status: 422,
            code: "invalid_stream"
        ),
        Attack(
            name: "broadcast of no markup",
            path: "/broadcasts",
            body: #"{"stream":"s","html":"hello"}"#,
            status: 422,
            code: "invalid_html"
        ),
        Attack(
            name: "broadcast that leaves its template",
            path: "/broadcasts",
            body: #"{"stream":"s","action":"update","target":"t","html":"</template><script>x</script>"}"#,
            status: 422,
            code: "invalid_html"
        ),
        Attack(
            name: "broadcast of a template that is not there",
            path: "/broadcasts",
            body: #"{"stream":"s","action":"replace","target":"t","template":"../../etc/passwd"}"#,
            status: 422,
            code: "unknown_template"
        ),
        Attack(
            name: "stream of a forged name",
            method: "GET",
            path: "/streams?name=InVzZXI6MSI=--0000000000000000000000000000000000000000000000000000000000000000",
            status: 403,
            code: "forged_stream_name"
        ),
        Attack(name: "stream without a name", method: "GET", path: "/streams", status: 403, code: "forged_stream_name"),
        Attack(
            name: "out of the folder",
            method: "GET",
            path: "/../Package.swift",
            status: 400,
            code: "malformed_request"
        ),
        Attack(
            name: "out, escaped",
            method: "GET",
            path: "/%2e%2e/Package.swift",
            status: 400,
            code: "malformed_request"
        ),
        Attack(name: "the keys", method: "GET", path: "/.paycast/api.key", status: 404, code: "not_found"),
        Attack(name: "a folder", method: "GET", path: "/demo", status: 404, code: "not_found"),
    ]

    @Test func everyAttackHasItsAnswerAndLeavesNoTrace() throws {
        let server = try PaycastServer()
        let words = ["order", "--user", "owner", "--product", "p", "--token", "0f8fad5b-d9cb-469f-a165-70867728950e"]
        #expect(try server.paycast(words).waitForExit() == 0)
        let key = try DevelopmentWorkspace.existing(in: server.folder.path).apiKey
        for attack in BadInputTests.attacks {
            let answer = try send(attack, to: server, key: key)
            #expect(answer.hasPrefix("HTTP/1.1 \(attack.status) "), "\(attack.name): \(answer.prefix(200))")
            #expect(answer.contains(#""error":"\#(attack.code)""#), "\(attack.name): \(answer.suffix(200))")
            #expect(answer.contains("Content-Type: application/json"), "\(attack.name)")
        }
        let head = try send(
            Attack(name: "head", method: "GET", path: "/users/1/entitlements", status: 200, code: ""),
            to: server,
            key: key
        )
        #expect(head.contains(#"-0","user":"1""#), "nothing was committed")
        #expect(!server.process.errors.contains(key))
    }

    func send(_ attack: Attack, to server: PaycastServer, key: String) throws -> String {
        let socket = try server.connect()
        var head = "\(attack.method) \(attack.path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
        if attack.isTrusted { head += "Authorization: Bearer \(key)\r\n" }
        if attack.method == "POST" { head += "Content-Length: \(attack.body.utf8.count)\r\n" }
        try socket.send(head + "\r\n" + attack.body)
        return String(decoding: try socket.readToEnd(), as: UTF8.self)
    }
}
