import Domain
import Support
import TestSupport
import Testing

/// A period ends, and Apple is asked before anybody's page says so.
@Suite(.blocking) struct RenewalCheckJourneyTests {
    private func page(_ journey: AppleJourney, stream: String) throws -> EventStreamClient {
        try EventStreamClient(port: journey.server.port, path: "/streams?name=\(stream)")
    }

    /// Bought, with a period that ends in seconds; returns once the page shows it.
    private func buy(_ journey: AppleJourney, for seconds: Int = 10) throws -> (
        token: OrderToken, page: EventStreamClient
    ) {
        let order = try journey.order(for: "42")
        let page = try page(journey, stream: order.stream)
        let end = Clock().now() + .seconds(seconds)
        let body = try journey.say(
            "DID_CHANGE_RENEWAL_STATUS",
            subtype: "AUTO_RENEW_ENABLED",
            of: order.token,
            until: end
        )
        #expect(try journey.post(body).contains(#""outcome":"applied""#))
        #expect(try page.message().data?.contains(#"data-state="active""#) == true)
        return (order.token, page)
    }

    /// Apple renewed it, and the notification is on its way for an hour: the page never shows the paywall.
    @Test func lateRenewalIsFoundOut() throws {
        let journey = try AppleJourney()
        let (token, page) = try buy(journey)
        let later = Clock().now() + .seconds(86_400)
        _ = try journey.say(
            "DID_CHANGE_RENEWAL_STATUS",
            subtype: "AUTO_RENEW_ENABLED",
            of: token,
            until: later,
            isLost: true
        )
        _ = try journey.server.process.errorLine { $0.contains("asked at a period's end") }
        let publish = journey.server.paycast(
            ["publish", "--user", "42", "--html", #"<turbo-stream action="remove" target="mark"></turbo-stream>"#]
        )
        #expect(try publish.waitForExit() == 0, "\(publish.errors)")
        var shown: [String] = []
        while shown.last?.contains(#"target="mark""#) != true { shown.append(try page.message().data ?? "") }
        // The offers have a form.
        #expect(!shown.contains { $0.contains("expired") || $0.contains("<form") }, "\(shown)")
    }

    /// Not renewed: Apple says so, long before the leeway is over.
    @Test func endIsConfirmed() throws {
        let journey = try AppleJourney()
        let (_, page) = try buy(journey)
        #expect(try page.message().data?.contains(#"data-state="expired""#) == true)
        #expect(!journey.server.process.errors.contains("unconfirmed"))
    }

    /// Apple cannot be asked: access outlasts the period by the leeway, and the log says what was not known.
    @Test func unreachableAppleEndsTheLeeway() throws {
        let journey = try AppleJourney(environment: ["PAYCAST_LEEWAY_SECONDS": "4"])
        let start = monotonicNanoseconds()
        let (_, page) = try buy(journey)
        journey.setDown(true)
        #expect(try page.message().data?.contains(#"data-state="expired""#) == true)
        #expect(monotonicNanoseconds() - start > 13_000_000_000)
        let line = try journey.server.process.errorLine { $0.contains("access ended unconfirmed") }
        #expect(line.contains("WARNING"))
        // A contract's name may be what opens it: at Google, the purchase token.
        #expect(!journey.server.process.errors.contains("contract="))
    }
}
