import API
import APIModel
import Domain
import Encoding
import Support
import TestSupport
import Testing

/// A user is erased, and everything that a store sends afterwards is answered as before, and changes nothing.
@Suite(.blocking) struct ErasureJourneyTests {
    private static let user = "erin@example.com"

    /// Renewal, retry, recovery, and a page that was away, after `kill -9`.
    @Test func nothingBringsTheUserBack() throws {
        let journey = try AppleJourney()
        let order = try journey.order(for: ErasureJourneyTests.user)
        let now = Clock().now()
        let end = now + .seconds(86_400)
        let first = try journey.say("SUBSCRIBED", of: order.token, until: end, at: now - .seconds(60))
        #expect(try journey.post(first).contains(#""outcome":"applied""#))
        let page = try EventStreamClient(port: journey.server.port, path: "/streams?name=\(order.stream)")
        let shown = try page.message { $0.contains("paywall") }
        let cursor = try #require(shown.id)
        let exported = try export(journey.server)
        #expect(exported.record.active && exported.record.contracts.count == 1 && exported.record.orders.count == 1)
        #expect(exported.events.contains { $0.body?.contains("signedPayload") == true })

        let erase = journey.server.paycast("erase", "--user", ErasureJourneyTests.user, "--reason", "request of 1 May")
        #expect(try erase.waitForExit() == 0, "\(erase.errors)")
        #expect(erase.output.hasPrefix("contracts  1\norders     1\nevents     "), "\(erase.output)")
        _ = try page.message { $0.contains(#"action="refresh""#) }
        let logged = try journey.server.process.errorLine { $0.contains("user erased") }
        #expect(logged.contains("request of 1 May") && !logged.contains(ErasureJourneyTests.user))

        try journey.server.restart()
        let late = try EventStreamClient(
            port: journey.server.port,
            path: "/streams?name=\(order.stream)&since=\(cursor)"
        )
        _ = try late.message { $0.contains(#"action="refresh""#) }
        #expect(try journey.post(first).contains(#""outcome":"duplicate""#))
        let renewal = try journey.say("DID_RENEW", of: order.token, until: end + .seconds(86_400))
        #expect(try journey.post(renewal).contains(#""outcome":"ignored""#))
        _ = try journey.say("DID_RENEW", of: order.token, until: end + .seconds(172_800), isLost: true)
        let since = (now - .seconds(3600)).iso8601
        let recovered = try journey.recover(#"{"provider":"apple","since":"\#(since)"}"#)
        #expect(recovered.contains(#""outcomes":{"duplicate":2,"ignored":1}"#), "\(recovered)")
        let unknown = journey.server.paycast("export", "--user", ErasureJourneyTests.user)
        #expect(try unknown.waitForExit() == 1)
        #expect(unknown.errors.hasPrefix("paycast: nothing is known about this user") && !unknown.output.isEmpty)
        let naming = journey.server.paycast(
            "erase",
            "--user",
            ErasureJourneyTests.user,
            "--reason",
            "asked by \(ErasureJourneyTests.user), 1 May"
        )
        #expect(try naming.waitForExit() == 1)
        #expect(naming.errors.contains("400 invalid_reason"), "\(naming.errors)")
        let left = try export(journey.server)
        #expect(
            !left.record.active && left.record.contracts.isEmpty && left.record.orders.isEmpty && left.events.isEmpty
        )
        let replay = journey.server.paycast("replay", "--since", "start")
        #expect(try replay.waitForExit() == 0, "\(replay.errors)")
        #expect(replay.output.contains("skipped: emptied"), "\(replay.output)")
        #expect(try !export(journey.server).record.active)
    }

    private func export(_ server: PaycastServer) throws -> UserExport {
        let export = server.paycast("export", "--user", ErasureJourneyTests.user, "--allow-unknown")
        #expect(try export.waitForExit() == 0, "\(export.errors)")
        return try #require(JSON.decode(UserExport.self, from: Array(export.output.utf8)))
    }
}

extension EventStreamClient {
    fileprivate func message(where isWanted: (String) -> Bool) throws -> Block {
        while true {
            let next = try message()
            if isWanted(next.data ?? "") { return next }
        }
    }
}
