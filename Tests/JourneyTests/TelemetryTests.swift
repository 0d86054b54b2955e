import API
import APIModel
import HTTPClient
import Simulator
import TestSupport
import Testing

@testable import Ledger

/// What an operator can see of a payment's way, and where the pages' addresses come from.
@Suite(.blocking) struct TelemetryTests {
    private static let key = String(repeating: "k", count: 32)

    private func value(_ series: String, on server: PaycastServer) throws -> String? {
        let socket = try server.connect()
        try socket.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        let page = String(decoding: try socket.readToEnd(), as: UTF8.self)
        let line = page.split(separator: "\n").first { $0.hasPrefix(series + " ") }
        return line.map { String($0.dropFirst(series.count + 1)) }
    }

    private func buy(_ user: String, on server: PaycastServer) throws {
        let order = server.paycast("order", "--user", user, "--product", "paycast.pro.monthly", "--json")
        #expect(try order.waitForExit() == 0, "\(order.errors)")
        let trigger = server.paycast("trigger", "apple", "SUBSCRIBED/INITIAL_BUY", "--user", user)
        #expect(try trigger.waitForExit() == 0, "\(trigger.errors)")
    }

    enum Engine: String, CaseIterable, Sendable {
        case sqlite, postgres

        static let here = allCases.filter { $0 == .sqlite || PostgresCluster.isInstalled }

        var cluster: PostgresCluster? { get throws { self == .postgres ? try PostgresCluster() : nil } }
    }

    /// Behind PostgreSQL, another thread than the one that answers the store hands the commit to the loops: each payment is
    /// followed, and not only those for which that one is faster.
    @Test(arguments: Engine.here) func everyPaymentIsFollowedToTheLastSocket(in engine: Engine) throws {
        let cluster = try engine.cluster
        let server = try PaycastServer(
            ["--dev", "--loops", "2"],
            environment: cluster.map { ["DATABASE_URL": $0.url] } ?? [:]
        )
        let sign = server.paycast("sign", "user:42:paywall")
        #expect(try sign.waitForExit() == 0)
        let page = try EventStreamClient(port: server.port, path: "/streams?name=\(sign.output.prefix { $0 != "\n" })")
        _ = try page.block()
        try buy("42", on: server)
        _ = try page.message()
        for _ in 0..<4 {
            let renewal = server.paycast("trigger", "apple", "DID_RENEW", "--user", "42")
            #expect(try renewal.waitForExit() == 0, "\(renewal.errors)")
            _ = try page.message()
        }
        #expect(try value("paycast_webhook_verified_seconds_count", on: server) == "5")
        #expect(try value("paycast_webhook_committed_seconds_count", on: server) == "5")
        // The page's loop writes; the last loop counts.
        try Deadline(.seconds(60)).wait(for: "written") {
            try value("paycast_webhook_written_seconds_count", on: server) == "5"
        }
        try showsTheWay(of: "42", on: server)
        #expect(try value("paycast_pages{transport=\"sse\"}", on: server) == "1")
        #expect(try value("anycable_go_clients_num", on: server) == "1")
        #expect(try value("anycable_go_sse_clients_num", on: server) == "1")
        let published = try value("paycast_published_total", on: server)
        #expect(try published != "0" && value("anycable_go_broadcast_msg_total", on: server) == published)
        let unheard = try value("paycast_unheard_total", on: server)
        try buy("43", on: server)
        try Deadline(.seconds(60)).wait(for: "unheard") { try value("paycast_unheard_total", on: server) != unheard }
        #expect(try value("paycast_webhook_written_seconds_count", on: server) == "5", "nobody followed 43")
    }

    /// What the console tells of it: each event's way to the last socket, and the times in the pictures of the overview.
    private func showsTheWay(of user: String, on server: PaycastServer) throws {
        let client = HTTPClient(timeout: .seconds(60))
        func text(_ path: String, cookie: String? = nil) throws -> String {
            let answer = try client.send("GET", to: server.url + path, headers: cookie.map { [("Cookie", $0)] } ?? [])
            return String(decoding: answer.body, as: UTF8.self)
        }
        let door = try client.send("GET", to: server.url + "/console/enter")
        let cookie = String(try #require(door.header("Set-Cookie")).prefix { $0 != ";" })
        let key = try DevelopmentWorkspace.existing(in: server.folder.path).apiKey
        let events = try client.send(
            "GET",
            to: server.url + "/users/\(user)/events",
            headers: [("Authorization", "Bearer \(key)")]
        )
        let found = try #require(JSON.decode(UserEventsAnswer.self, from: events.body)).events.filter {
            $0.event != nil
        }
        #expect(found.count == 5)
        for event in found {
            let page = try text("/console/events/\(event.cursor)", cookie: cookie)
            for step in ["Proven genuine", "Committed", "Rendered", "First socket", "Last socket, of 1 page"] {
                #expect(page.contains(step), "\(step): \(page)")
            }
        }
        let overview = try text("/console", cookie: cookie)
        #expect(overview.contains("first byte to the pages: up to "), "\(overview)")
    }

    /// The store comes back with it: only then it counts.
    @Test func failedCommitIsNoCommit() throws {
        let fixture = try WebhookFixture { SimulatedRevenueCat($0) }
        let path = fixture.server.folder.path("paycast.db")
        let saboteur = try SQLiteConnection(path: path, access: .readWrite, lockTimeout: .seconds(5))
        try saboteur.execute(
            "CREATE TRIGGER sabotage BEFORE INSERT ON events BEGIN SELECT raise(ABORT, 'sabotaged'); END"
        )
        let delivery = try fixture.delivery("INITIAL_PURCHASE")
        try fixture.expect(delivery, status: 503, text: "ledger_unavailable")
        #expect(try value("paycast_webhook_verified_seconds_count", on: fixture.server) == "1")
        #expect(try value("paycast_webhook_committed_seconds_count", on: fixture.server) == "0")
        try saboteur.execute("DROP TRIGGER sabotage")
        try fixture.expect(delivery, status: 200, text: "applied")
        #expect(try value("paycast_webhook_committed_seconds_count", on: fixture.server) == "1")
    }

    struct Visitor: Sendable {
        /// `PORT` stands for the server's.
        var host: String
        var headers: [String] = []
        var status: Int
    }

    /// What comes from this machine may come for somebody else: a page under a name that leads here, or a
    /// proxy's visitor.
    @Test(arguments: [
        Visitor(host: "127.0.0.1:PORT", status: 200), Visitor(host: "localhost:PORT", status: 200),
        Visitor(host: "LOCALHOST.", status: 200), Visitor(host: "[::1]:PORT", status: 200),
        Visitor(host: "evil.example:PORT", status: 401), Visitor(host: "localhost.evil.example", status: 401),
        Visitor(host: "127.0.0.1.evil.example", status: 401), Visitor(host: "pay", status: 401),
        Visitor(host: "203.0.113.7", status: 401),
        Visitor(host: "pay.example", headers: ["Authorization: Bearer \(key)"], status: 200),
        Visitor(host: "evil.example", headers: ["X-Forwarded-Host: localhost"], status: 401),
    ]) func loopbackIsTrustedUnderItsOwnName(_ visitor: Visitor) throws {
        let environment = ["PAYCAST_API_KEY": Self.key, "PAYCAST_ALLOWED_ORIGINS": "https://pay.example"]
        let server = try PaycastServer([], environment: environment)
        for path in ["/metrics", "/ready"] {
            let host = visitor.host.replacing("PORT", with: "\(server.port)")
            let head = ["GET \(path) HTTP/1.1", "Host: \(host)", "Connection: close"] + visitor.headers
            let socket = try server.connect()
            try socket.send(head.joined(separator: "\r\n") + "\r\n\r\n")
            let answer = String(decoding: try socket.readToEnd(), as: UTF8.self)
            let isAnswered = !answer.hasPrefix("HTTP/1.1 401 ")
            #expect(isAnswered == (visitor.status == 200), "\(path) \(answer)")
            #expect(answer.contains("paycast_") == (isAnswered && path == "/metrics"))
        }
    }

    @Test func metricsAreNotForTheInternet() throws {
        for environment in [[:], ["PAYCAST_TRUSTED_PROXIES": "127.0.0.1"]] {
            let server = try PaycastServer(environment: environment)
            for (headers, status) in [([], 200), ([("X-Forwarded-For", "203.0.113.7")], 401)] {
                let answer = try EventStreamClient(port: server.port, path: "/metrics", headers: headers)
                #expect(answer.status == status)
            }
        }
    }
}
