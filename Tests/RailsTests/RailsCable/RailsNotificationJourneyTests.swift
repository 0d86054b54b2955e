import TestSupport
import Testing

/// A Rails app with Action Cable's adapter `postgresql`, from `broadcast` to a page of the real server.
@Suite(.enabled(if: NotifyingApp.isInstalled), .blocking)
struct RailsNotificationJourneyTests {
    private static let refresh = #"<turbo-stream action="refresh"></turbo-stream>"#
    private static let stream = "user:42:notice"
    /// Over 63 bytes: what Turbo makes of two records and a name.
    private static let long = "Z2lkOi8vc2hvcC9Vc2VyLzQy:Z2lkOi8vc2hvcC9Db21wYW55LzEwMDAwMDAw:notifications"

    private let cluster: PostgresCluster

    init() throws {
        cluster = try PostgresCluster()
    }

    private func server(prefix: String = "") throws -> PaycastServer {
        let server = try PaycastServer(environment: [
            "PAYCAST_RAILS_CABLE_URL": cluster.url, "PAYCAST_RAILS_CABLE_PREFIX": prefix,
        ])
        try server.waitForReady(status: 200, text: "true")
        return server
    }

    @Test(arguments: ["", "shop_production"]) func broadcastReachesThePage(_ prefix: String) throws {
        let app = NotifyingApp(database: cluster.url, prefix: prefix)
        let server = try server(prefix: prefix)
        let pages = try [Self.stream, Self.long].map { try server.page(of: $0) }
        let cursors = try pages.map { try #require(try $0.block().id) }
        try server.waitForMetric("paycast_rails_cable_streams 2")
        let html = update("R & D <b>é</b> \u{1F600} it's")
        let answers = try app.broadcast([
            (Self.stream, "not for pages"), ("user:43:notice", update("of another")), (Self.stream, html),
            (Self.long, html),
        ])
        #expect(answers == Array(repeating: "sent", count: 4))
        for page in pages { #expect(try page.message().data == html) }
        let late = try server.page(of: Self.stream, since: "&since=\(cursors[0])")
        #expect(try late.message().data == html, "a page that was away")
    }

    @Test func broadcastWhileThePageIsAwayWaitsForIt() throws {
        let server = try server()
        let cursor = try server.page(of: Self.stream).block().id
        try server.waitForMetric("paycast_rails_cable_streams 1")
        try NotifyingApp(database: cluster.url).broadcast([(Self.stream, update("meanwhile"))])
        try server.waitForMetric("paycast_rails_cable_messages_total 1")
        let page = try server.page(of: Self.stream, since: "&since=\(try #require(cursor))")
        #expect(try page.message().data == update("meanwhile"))
    }

    @Test func endedSessionMakesPagesReload() throws {
        let server = try server()
        let page = try server.page(of: Self.stream)
        _ = try page.block()
        try server.waitForMetric("paycast_rails_cable_streams 1")
        try cluster.psql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'paycast cable'"
        )
        #expect(try page.message().data == Self.refresh)
        try NotifyingApp(database: cluster.url).broadcast([(Self.stream, update("after"))])
        #expect(try page.message().data == update("after"))
        try server.waitForMetric("paycast_rails_cable_gaps_total 1")
    }

    /// Rails raises; nothing is sent, and Paycast is not concerned.
    @Test func longMessageFailsInRails() throws {
        let text = update(String(repeating: "x", count: 8000))
        let answers = try NotifyingApp(database: cluster.url).broadcast([(Self.stream, text)])
        #expect(answers.first?.contains("payload string too long") == true, "\(answers)")
    }
}
