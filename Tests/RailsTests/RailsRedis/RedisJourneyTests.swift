import TestSupport
import Testing

/// A Rails app's broadcast, from Redis to a page of the real server.
@Suite(.blocking) struct RedisJourneyTests {
    private static let stream = "user:42:notice"

    private func page(of server: PaycastServer, since: String = "") throws -> EventStreamClient {
        let sign = server.paycast("sign", Self.stream)
        #expect(try sign.waitForExit() == 0)
        let name = sign.output.split(separator: "\n").first ?? ""
        let page = try EventStreamClient(port: server.port, path: "/streams?name=\(name)\(since)")
        #expect(page.status == 200)
        return page
    }

    /// Asks `/ready` until it says so.
    private func waitForReady(_ server: PaycastServer, status: Int, text: String) throws {
        let deadline = Deadline(.seconds(60))
        var answer = ""
        while !deadline.hasPassed {
            let socket = try server.connect()
            try socket.send("GET /ready HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            answer = String(decoding: try socket.readToEnd(), as: UTF8.self)
            if answer.hasPrefix("HTTP/1.1 \(status) "), answer.contains(text) { return }
        }
        Issue.record("\(answer)")
    }

    @Test(arguments: ["", "shop_production"]) func broadcastReachesThePage(_ prefix: String) throws {
        let redis = try RedisServer()
        let server = try PaycastServer(environment: ["REDIS_URL": redis.url, "PAYCAST_REDIS_PREFIX": prefix])
        try waitForReady(server, status: 200, text: "true")
        let page = try page(of: server)
        let cursor = try #require(try page.block().id)
        let client = try redis.client()
        let channel = (prefix.isEmpty ? "" : prefix + ":") + Self.stream
        try client.send("PUBLISH", channel, railsJSON(update("a < b & \u{2028}")))
        try client.send("PUBLISH", channel, #"{"type":"disconnect"}"#)
        #expect(try page.message().data == update("a < b & \u{2028}"))
        let late = try self.page(of: server, since: "&since=\(cursor)")
        #expect(try late.message().data == update("a < b & \u{2028}"), "a page that was away")
    }

    @Test func broadcastThatIsTooLongReloadsThePagesOfItsStream() throws {
        let redis = try RedisServer()
        let server = try PaycastServer(environment: ["REDIS_URL": redis.url])
        try waitForReady(server, status: 200, text: "true")
        let page = try page(of: server)
        let other = try server.page(of: "user:43:notice")
        let cursor = try #require(try page.block().id)
        #expect(try other.block().id != nil)
        let client = try redis.client()
        try client.send("PUBLISH", Self.stream, railsJSON(update(String(repeating: "x", count: 256 << 10))))
        try client.send("PUBLISH", "user:43:notice", railsJSON(update("short")))
        #expect(try page.message().data == #"<turbo-stream action="refresh"></turbo-stream>"#)
        #expect(try other.message().data == update("short"), "another stream")
        let late = try self.page(of: server, since: "&since=\(cursor)")
        #expect(try late.message().data?.contains("refresh") == true, "a page that was away")
        #expect(server.process.errors.contains("broadcasts of the app cannot be sent"))
    }

    /// What Action Cable itself publishes, where Debian's ruby-actioncable and ruby-redis are installed.
    @Test(.enabled(if: actionCableIsInstalled)) func actionCableReachesThePage() throws {
        let redis = try RedisServer()
        let server = try PaycastServer(environment: ["REDIS_URL": redis.url + "/1", "PAYCAST_REDIS_PREFIX": "shop"])
        try waitForReady(server, status: 200, text: "true")
        let page = try page(of: server)
        #expect(try page.block().id != nil)
        let script = """
            require "logger"
            require "active_support/all"
            require "action_cable"
            cable = { adapter: "redis", url: ARGV[0], channel_prefix: "shop" }
            ActionCable.server.config.logger = Logger.new(nil)
            ActionCable.server.config.cable = cable.with_indifferent_access
            ActionCable.server.broadcast("chat", { body: "not for pages" })
            ActionCable.server.broadcast(ARGV[1], ARGV[2])
            """
        let html = update("R & D\u{2028} <b>é</b> \u{1F600}")
        let rails = RunningProcess(
            "ruby",
            arguments: ["-e", script, redis.url + "/1", Self.stream, html],
            environment: ["LANG": "C.UTF-8"]
        )
        #expect(try rails.waitForExit() == 0, "\(rails.errors)")
        #expect(try page.message().data == html)
    }

    @Test func killedRedisIsToldAndHealed() throws {
        let redis = try RedisServer()
        let server = try PaycastServer(environment: ["REDIS_URL": redis.url])
        try waitForReady(server, status: 200, text: "true")
        let page = try page(of: server)
        #expect(try page.block().id != nil)
        try redis.kill()
        try waitForReady(server, status: 503, text: "redis: Connection refused")
        try redis.start()
        try waitForReady(server, status: 200, text: "true")
        #expect(try page.message().data?.contains("refresh") == true)
        try redis.client().send("PUBLISH", Self.stream, railsJSON(update("after")))
        #expect(try page.message().data == update("after"))
    }

    @Test func silentRedisNeitherStopsTheStartNorTheStop() throws {
        let silent = SocketServer { _ = try $0.readToEnd() }
        let server = try PaycastServer(environment: ["REDIS_URL": "redis://:s3cret@127.0.0.1:\(silent.port)"])
        let page = try page(of: server)
        #expect(try page.block().id != nil)
        try waitForReady(server, status: 503, text: "redis: ")
        let process = server.process
        process.send(.terminate)
        #expect(try process.waitForExit(timeout: .seconds(60)) == 0)
        #expect(!process.errors.contains("s3cret"))
    }

    @Test func wrongAddressStopsTheStart() throws {
        let folder = TemporaryFolder()
        let process = PaycastProgram.start(
            ["serve", "--port", "0"],
            environment: ["REDIS_URL": "rediss://:s3cret@host?ssl=1", "PAYCAST_REDIS_PREFIX": "a\u{1}"],
            folder: folder.path
        )
        #expect(try process.waitForExit() != 0)
        #expect(process.errors.contains("REDIS_URL: has a query"))
        #expect(process.errors.contains("PAYCAST_REDIS_PREFIX: "))
        #expect(!process.errors.contains("s3cret"))
    }
}

private let actionCableIsInstalled = ["actioncable", "redis"].allSatisfy {
    readFile("/usr/share/doc/ruby-\($0)/copyright") != nil
}
