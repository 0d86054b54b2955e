import Rails
import TestSupport
import Testing

/// Against a redis-server that speaks TLS.
@Suite(.blocking) struct RedisTLSTests {
    /// A server that is told to listen to it, and trusts `authority` beside the system's.
    private func server(_ url: String, authority: TemporaryCertificate?) throws -> PaycastServer {
        let trusted = authority.map { ["SSL_CERT_FILE": $0.certificateFile] } ?? [:]
        return try PaycastServer(environment: ["REDIS_URL": url].merging(trusted) { $1 })
    }

    @Test func broadcastsReachThePage() throws {
        let certificate = try TemporaryCertificate()
        let redis = try RedisServer(["--requirepass", "right-pw"], tls: certificate)
        let server = try server("rediss://:right-pw@localhost:\(redis.portForTLS)/1", authority: certificate)
        try server.waitForReady(status: 200, text: "true")
        let page = try server.page(of: "user:42:notice")
        #expect(try page.block().id != nil)
        let client = try redis.client()
        try client.send("AUTH", "right-pw")
        try client.send("PUBLISH", "user:42:notice", railsJSON(update("over TLS")))
        #expect(try page.message().data == update("over TLS"))
    }

    struct Distrusted: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var names = "DNS:localhost"
        var environment: [String: String] = [:]
        var isTrusted = true
        var problem: String
    }

    @Test(
        .enabled(if: FakeClock.isInstalled),
        arguments: [
            Distrusted(
                testDescription: "nobody vouches for it",
                isTrusted: false,
                problem: "it comes from no authority that this machine knows; name a private one in SSL_CERT_FILE"
            ),
            Distrusted(testDescription: "another name", names: "DNS:other.test", problem: "it is for another name"),
            Distrusted(
                testDescription: "expired",
                environment: FakeClock.environment("2020-01-01 00:00:00"),
                problem: "it, or another one of its chain, has expired"
            ),
        ]
    ) func whoCannotBeTrustedIsTold(_ given: Distrusted) throws {
        let certificate = try TemporaryCertificate(for: given.names, environment: given.environment)
        let redis = try RedisServer(tls: certificate)
        let server = try server(
            "rediss://localhost:\(redis.portForTLS)",
            authority: given.isTrusted ? certificate : nil
        )
        try server.waitForReady(status: 503, text: "redis: its certificate is not trusted: \(given.problem)")
    }

    /// More than a record of TLS holds, and what comes right behind it.
    @Test func certificatesMayCountForNothing() throws {
        let (redis, inbox) = (try RedisServer(tls: try TemporaryCertificate(for: "DNS:other.test")), BroadcastInbox())
        let url = "rediss://127.0.0.1:\(redis.portForTLS)"
        let listener = try inbox.redisListener(url, verification: .nothing)
        #expect(inbox.wait { _ in listener.problems.isEmpty })
        let texts = [150_000, 5, 16_384, 100_000, 1].map { String(repeating: "x", count: $0) }
        try redis.client().publish(texts.map { railsJSON(update($0)) }, to: "s")
        #expect(inbox.wait { $0.texts.count == texts.count })
        listener.close()
        for (text, found) in zip(texts, inbox.now.texts) { #expect(found.contains(">\(text)<")) }
    }

    struct Mistaken: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var scheme: String
        /// Answers, and goes on, or falls silent.
        var answer: String?
        var problem: String
    }

    @Test(arguments: [
        Mistaken(
            testDescription: "no TLS",
            scheme: "rediss",
            answer: "-ERR\r\n",
            problem: "it does not speak TLS there"
        ),
        Mistaken(testDescription: "silence", scheme: "rediss", problem: "it does not answer in time"),
        Mistaken(
            testDescription: "an alert of TLS",
            scheme: "redis",
            answer: "\u{15}\u{3}\u{3}\u{0}\u{2}\u{2}\u{46}",
            problem: "is not Redis, or takes TLS alone"
        ),
    ]) func wrongSchemeIsTold(_ given: Mistaken) throws {
        let server = SocketServer { socket in
            if let answer = given.answer { try socket.send(answer) }
            _ = try socket.readToEnd()
        }
        let inbox = BroadcastInbox()
        let listener = try inbox.redisListener(
            "\(given.scheme)://127.0.0.1:\(server.port)",
            timing: .quick(patience: .milliseconds(500))
        )
        #expect(inbox.wait { _ in listener.problems.contains { $0.contains(given.problem) } }, "\(listener.problems)")
        listener.close()
    }
}
