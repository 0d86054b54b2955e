import API
import APIModel
import Domain
import Support
import TestSupport
import Testing

/// Forty days later, on the same ledger.
@Suite(.blocking) struct RetentionJourneyTests {
    @Test func bodiesGoAndPagesStayRight() throws {
        let journey = try AppleJourney()
        let server = journey.server
        let order = try journey.order(for: "42")
        let page = try EventStreamClient(port: server.port, path: "/streams?name=\(order.stream)")
        let cursor = try #require(try page.block().id)
        let end = Clock().now() + .seconds(90 * 86_400)
        #expect(try journey.post(journey.say("SUBSCRIBED", of: order.token, until: end)).contains("applied"))
        #expect(try bodies(server) == 1)
        try server.stop(with: .terminate)

        let later = PaycastProgram.start(
            ["serve", "--dev", "--port", "\(server.port)", "--public", PaycastProgram.root + "/public"],
            environment: [
                "PAYCAST_RETENTION_DAYS": "30",
                "PAYCAST_DEV_NOW": (Clock().now() + .seconds(40 * 86_400)).iso8601,
            ],
            folder: server.folder.path
        )
        _ = try later.errorLine { $0.contains("retention done") }
        #expect(try bodies(server) == 0)
        let late = try EventStreamClient(port: server.port, path: "/streams?name=\(order.stream)&since=\(cursor)")
        #expect(try late.message().data?.contains("paywall") == true)
        let replay = server.paycast("replay", "--since", "start")
        #expect(try replay.waitForExit() == 0, "\(replay.errors)")
        #expect(replay.output.contains("skipped: emptied") && replay.output.contains("0 changed"), "\(replay.output)")
        later.send(.terminate)
        #expect(try later.waitForExit() == 0)
    }

    /// How many of the user's events have one.
    private func bodies(_ server: PaycastServer) throws -> Int {
        let export = server.paycast("export", "--user", "42")
        #expect(try export.waitForExit() == 0, "\(export.errors)")
        let known = try #require(JSON.decode(UserExport.self, from: Array(export.output.utf8)))
        #expect(known.record.contracts.count == 1 && known.events.contains { $0.outcome == "applied" })
        return known.events.count { $0.body != nil }
    }
}
