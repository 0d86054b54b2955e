import TestSupport
import Testing

/// What an app broadcast while nobody listened is lost, and its pages are told so: each once, when it comes back.
@Suite(.blocking) struct RedisGapTests {
    private static let refresh = #"<turbo-stream action="refresh"></turbo-stream>"#

    private let redis: RedisServer
    private let server: PaycastServer
    private let name: String
    private let key: String

    init() throws {
        redis = try RedisServer()
        // With two loops, a feed on one may tell of the gap before the other has told its pages.
        server = try PaycastServer(environment: ["REDIS_URL": redis.url, "PAYCAST_LOOPS": "1"])
        let sign = server.paycast("sign", "user:42:notice")
        #expect(try sign.waitForExit() == 0)
        name = String(sign.output.split(separator: "\n").first ?? "")
        key = String((readFile(server.folder.path(".paycast/api.key")) ?? "").split(separator: "\n").first ?? "")
    }

    private func publish(_ text: String, options words: String...) throws {
        let place = ["--stream", "user:42:notice", "--action", "update", "--target", "box"]
        let process = server.paycast(["publish"] + place + ["--html", text] + words)
        #expect(try process.waitForExit() == 0, "\(process.errors)")
    }

    private func page(since: String? = nil, lastEventID: String? = nil) throws -> EventStreamClient {
        let headers = lastEventID.map { [("Last-Event-ID", $0)] } ?? []
        let path = "/streams?name=\(name)" + (since.map { "&since=\($0)" } ?? "")
        return try EventStreamClient(port: server.port, path: path, headers: headers)
    }

    /// What a page is sent before what happens next.
    private func sent(_ page: EventStreamClient) throws -> [String] {
        try publish("fence", options: "--transient")
        var texts: [String] = []
        while let text = try page.message().data, !text.contains("fence") { texts.append(text) }
        return texts
    }

    /// The ledger says that something was lost; returns its cursor.
    private func gap(after cursor: String) throws -> String {
        let headers = [("Authorization", "Bearer \(key)")]
        let feed = try EventStreamClient(port: server.port, path: "/feed?since=\(cursor)", headers: headers)
        let deadline = Deadline(.seconds(60))
        while !deadline.hasPassed {
            // Heartbeats, too, so that it comes to an end.
            let event = try feed.block()
            if event.data?.contains(#""kind":"broadcasts.lost""#) == true { return try #require(event.id) }
        }
        throw RawSocketError.timedOut
    }

    @Test(arguments: [RunningProcess.Signal.kill, .terminate])
    func pagesFromBeforeTheStartAreRefreshedOnce(_ signal: RunningProcess.Signal) throws {
        try publish("before")
        let cursor = try #require(try page().message().id)
        try server.stop(with: signal)
        try redis.client().send("PUBLISH", "user:42:notice", railsJSON(update("lost")))
        try server.start()
        let gap = try gap(after: cursor)
        // An EventSource that counts what arrived, and pages whose HTML says the same after every reload.
        let counting = try page(lastEventID: cursor)
        let message = try counting.message()
        #expect(message.data == Self.refresh)
        #expect(message.id == gap)
        #expect(try sent(page(since: cursor)) == [Self.refresh])
        #expect(try sent(page(lastEventID: gap)).isEmpty)
        #expect(try sent(page(since: cursor)).isEmpty)
        #expect(try sent(page(since: gap)).isEmpty)
        #expect(try sent(page()).map { $0.contains("before") } == [true], "a page that its server has just rendered")
    }

    /// Its broadcasts were lost, too, though nobody told it when they were.
    @Test func pageThatWasAwayDuringAnOutageIsRefreshedOnce() throws {
        try publish("before")
        let cursor = try #require(try page().message().id)
        try redis.kill()
        try Deadline(.seconds(60)).wait(for: "the loss") { server.process.errors.contains("redis lost") }
        try redis.start()
        let gap = try gap(after: cursor)
        #expect(try sent(page(lastEventID: cursor)) == [Self.refresh])
        #expect(try sent(page(lastEventID: gap)).isEmpty)
    }

    @Test func newLedgerHasLostNothing() throws {
        let page = try page()
        let start = try #require(try page.block().id)
        try Deadline(.seconds(60)).wait(for: "redis") { server.process.errors.contains("redis connected") }
        #expect(try sent(page).isEmpty)
        try publish("first")
        #expect(try sent(self.page(lastEventID: start)).map { $0.contains("first") } == [true])
    }
}
