import Simulator
import TestSupport
import Testing

/// `Idempotency-Key` on `POST /broadcasts`: a publisher that repeats itself, because an answer was lost, publishes once.
@Suite(.blocking) struct IdempotencyJourneyTests {
    private static let body =
        #"[{"user":"42","action":"append","target":"a","html":"<i>ONE</i>"}"#
        + #",{"user":"42","action":"append","target":"b","html":"<i>TWO</i>","transient":true}]"#

    @Test func aRetryIsAnsweredTheSameAndSendsNothing() throws {
        let app = try AppPost()
        let page = try follow(app)
        let first = try publish(Self.body, key: "k-1", on: app)
        #expect(first.status == 202 && first.body.contains("-1\",null]"), "\(first.body)")
        // Quoted, as the draft has it, it is the same key.
        #expect(try publish(Self.body, key: "\"k-1\"", on: app).body == first.body)
        let told = try app.told(page, of: "42")
        #expect(told.filter { $0.contains("ONE") }.count == 1)
        #expect(told.filter { $0.contains("TWO") }.count == 1)
        #expect(try publish(Self.body, key: "k-2", on: app).body != first.body)
    }

    @Test func anotherBodyIsRefused() throws {
        let app = try AppPost()
        let first = try publish(Self.body, key: "k", on: app)
        let other = try publish(Self.body.replacing("ONE", with: "1"), key: "k", on: app)
        #expect(other.status == 422 && other["error"] == "idempotency_key_reused")
        #expect(other["message"]?.hasSuffix(".") == true)
        #expect(try publish(Self.body, key: "k", on: app).body == first.body)
    }

    /// What was refused has not been made: the same key may be used for what is right.
    @Test func aRefusedBodyLeavesTheKeyFree() throws {
        let app = try AppPost()
        #expect(try publish(#"{"user":"42","html":"no markup"}"#, key: "k", on: app).status == 422)
        #expect(try publish(Self.body, key: "k", on: app).status == 202)
    }

    /// Answered or not: what was committed before the end is known after it, and what was not is made then.
    @Test func killNineMakesNothingTwice() throws {
        let app = try AppPost()
        for round in 0..<10 {
            let body = #"{"user":"42","action":"append","target":"a","html":"<i>\#(round)</i>"}"#
            let socket = try app.server.connect()
            try socket.send(Self.request(body, key: "round-\(round)", to: app))
            // On odd rounds the answer is on its way, or not even begun, when the server ends.
            let answer = round.isMultiple(of: 2) ? String(decoding: try socket.readToEnd(), as: UTF8.self) : nil
            try app.server.restart()
            let again = try publish(body, key: "round-\(round)", on: app)
            #expect(again.status == 202)
            if let answer { #expect(answer.hasSuffix(again.body), "\(answer) \(again.body)") }
            #expect(try publish(body, key: "round-\(round)", on: app).body == again.body)
        }
        let page = try EventStreamClient(
            port: app.server.port,
            path: "/streams?name=\(try app.stream(of: "42"))&since=\(try start(app))"
        )
        let told = try app.told(page, of: "42").joined()
        for round in 0..<10 { #expect(told.components(of: "<i>\(round)</i>") == 1, "round \(round): \(told)") }
    }

    @Test func manyAtOncePublishOnce() async throws {
        let app = try AppPost()
        let page = try follow(app)
        let answers = try await withThrowingTaskGroup(of: AppPost.Answer.self) { group in
            for _ in 0..<20 { group.addTask { try publish(Self.body, key: "k", on: app) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.allSatisfy { $0.status == 202 && $0.body == answers.first?.body })
        let told = try app.told(page, of: "42")
        #expect(told.filter { $0.contains("ONE") }.count == 1 && told.filter { $0.contains("TWO") }.count == 1)
    }

    @Test(arguments: [
        "", "\"", "\"\"", "two words", "\"open", "a, b", "schlüssel", "\"a\";x", String(repeating: "k", count: 256),
    ]) func whatIsNoKeyIsRefused(_ key: String) throws {
        let app = try AppPost()
        let answer = try publish(Self.body, key: key, on: app)
        #expect(answer.status == 400 && answer["error"] == "invalid_idempotency_key", "\(answer.body)")
        let twice = try app.post(
            "/broadcasts",
            body: Self.body,
            isTrusted: true,
            headers: [("Idempotency-Key", "a"), ("Idempotency-Key", "b")]
        )
        #expect(twice.status == 400)
        #expect(try app.entitlements(of: "1").contains(#"-0","user":"1""#), "nothing was committed")
    }

    /// A page that is sent what comes: one that is transient is for nobody else.
    private func follow(_ app: AppPost) throws -> EventStreamClient {
        let page = try app.page("42")
        while try page.block().id == nil {}
        return page
    }

    private func publish(_ body: String, key: String, on app: AppPost) throws -> AppPost.Answer {
        try app.post("/broadcasts", body: body, isTrusted: true, headers: [("Idempotency-Key", key)])
    }

    private static func request(_ body: String, key: String, to app: AppPost) -> String {
        """
        POST /broadcasts HTTP/1.1\r\nHost: 127.0.0.1:\(app.server.port)\r\nAuthorization: Bearer \(app.workspace.apiKey)\r
        Connection: close\r\nIdempotency-Key: \(key)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)
        """
    }

    /// The cursor before everything.
    private func start(_ app: AppPost) throws -> String {
        let since = try app.post("/users/42/stream", body: "", isTrusted: true, method: "GET")["since"] ?? ""
        return "\(since.prefix { $0 != "-" })-0"
    }
}

extension String {
    fileprivate func components(of part: String) -> Int { ranges(of: part).count }
}
