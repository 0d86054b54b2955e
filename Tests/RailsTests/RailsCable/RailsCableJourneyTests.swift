import TestSupport
import Testing

/// A Rails app's broadcast, from its cable database to a page of the real server.
@Suite(.blocking) struct RailsCableJourneyTests {
    private static let stream = "user:42:notice"
    private static let refresh = #"<turbo-stream action="refresh"></turbo-stream>"#

    private let folder = TemporaryFolder()
    private var file: String { folder.path + "/cable.sqlite3" }

    private func page(of server: PaycastServer, since: String = "") throws -> EventStreamClient {
        try server.page(of: Self.stream, since: since)
    }

    @Test(arguments: ["", "shop_production"]) func broadcastReachesThePage(_ prefix: String) throws {
        let app = try CableApp(file, in: folder)
        try app.run("PRAGMA journal_mode = WAL;" + CableSQL.sqlite)
        let server = try PaycastServer(environment: [
            "PAYCAST_RAILS_CABLE_URL": "sqlite3:" + file, "PAYCAST_RAILS_CABLE_PREFIX": prefix,
        ])
        try server.waitForReady(status: 200, text: "true")
        let page = try page(of: server)
        let cursor = try #require(try page.block().id)
        let channel = (prefix.isEmpty ? "" : prefix + ":") + Self.stream
        try app.run(CableSQL.sqliteRow(channel, #"{"type":"disconnect"}"#))
        try app.run(CableSQL.sqliteRow(channel, CableSQL.update("a < b & \u{2028}")))
        #expect(try page.message().data == update("a < b & \u{2028}"))
        let late = try self.page(of: server, since: "&since=\(cursor)")
        #expect(try late.message().data == update("a < b & \u{2028}"), "a page that was away")
    }

    /// The table has what was broadcast meanwhile, but which of it is committed nobody knows.
    @Test(arguments: [RunningProcess.Signal.kill, .terminate])
    func pagesFromBeforeTheStartAreRefreshed(_ signal: RunningProcess.Signal) throws {
        let app = try CableApp(file, in: folder)
        try app.run("PRAGMA journal_mode = WAL;" + CableSQL.sqlite)
        let server = try PaycastServer(environment: ["PAYCAST_RAILS_CABLE_URL": "sqlite:" + file])
        try server.waitForReady(status: 200, text: "true")
        let page = try page(of: server)
        _ = try #require(try page.block().id)
        try app.run(CableSQL.sqliteRow(Self.stream, CableSQL.update("1")))
        let cursor = try #require(try page.message().id)
        try server.stop(with: signal)
        try app.run(CableSQL.sqliteRow(Self.stream, CableSQL.update("meanwhile")))
        try server.start()
        let late = try self.page(of: server, since: "&since=\(cursor)")
        #expect(try late.message().data == Self.refresh)
        try app.run(CableSQL.sqliteRow(Self.stream, CableSQL.update("2")))
        #expect(try late.message().data == update("2"))
    }

    /// Solid Cable's own source in a Rails app, where Debian's packages are installed and `SOLID_CABLE` names the source.
    @Test(.enabled(if: RailsApp.isInstalled), arguments: ["SQLite", "PostgreSQL"])
    func solidCableReachesThePage(_ engine: String) throws {
        let cluster = engine == "PostgreSQL" ? try PostgresCluster() : nil
        let app = RailsApp(database: cluster?.url ?? "sqlite3:" + file, stream: Self.stream, prefix: "shop")
        try #expect(app.broadcast([]).contains(", \(engine)\n"))
        let server = try PaycastServer(environment: [
            "PAYCAST_RAILS_CABLE_URL": app.database, "PAYCAST_RAILS_CABLE_PREFIX": "shop",
        ])
        try server.waitForReady(status: 200, text: "true")
        let page = try page(of: server)
        #expect(try page.block().id != nil)
        let html = ["R & D\u{2028} <b>é</b> \u{1F600}", "2"].map { update($0) }
        try app.broadcast(["not for pages"] + html)
        #expect(try page.message().data == html[0])
        #expect(try page.message().data == html[1])
        try app.broadcast([update("of another process")])
        #expect(try page.message().data == update("of another process"))
    }

    @Test func appThatIsNotDeployedYetIsToldAndWaitedFor() throws {
        let server = try PaycastServer(environment: ["PAYCAST_RAILS_CABLE_URL": "sqlite:" + file])
        try server.waitForReady(status: 503, text: "rails cable: the file is not there")
        let app = try CableApp(file, in: folder)
        try app.run("PRAGMA journal_mode = WAL;" + CableSQL.sqlite)
        try server.waitForReady(status: 200, text: "true")
    }

    @Test func wrongAddressStopsTheStart() throws {
        let process = PaycastProgram.start(
            ["serve", "--port", "0"],
            environment: [
                "PAYCAST_RAILS_CABLE_URL": "mysql2://app:s3cret@host/cable", "PAYCAST_RAILS_CABLE_PREFIX": "a\u{1}",
            ],
            folder: folder.path
        )
        #expect(try process.waitForExit() != 0)
        #expect(process.errors.contains("PAYCAST_RAILS_CABLE_URL: is neither sqlite:PATH"))
        #expect(process.errors.contains("PAYCAST_RAILS_CABLE_PREFIX: "))
        #expect(!process.errors.contains("s3cret"))
    }
}
