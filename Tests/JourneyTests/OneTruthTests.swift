import TestSupport
import Testing

/// The two elements of a page say the same of a subscription, whatever happens to it.
@Suite(.blocking) struct OneTruthTests {
    private static let timeline = [
        "SUBSCRIBED/INITIAL_BUY", "DID_RENEW", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED",
        "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED", "DID_FAIL_TO_RENEW/GRACE_PERIOD", "DID_RENEW/BILLING_RECOVERY",
    ]

    @Test func everyMessageChangesBothElements() throws {
        let server = try PaycastServer()
        let page = try page(on: server)
        var dates: [String] = []
        for event in Self.timeline {
            try trigger(event, on: server)
            dates.append(try shown(try page.message().data ?? "", after: event))
        }
        #expect(dates[0] != dates[1], "a renewal moves the date")
    }

    /// The only date and state of both elements.
    private func shown(_ message: String, after event: String) throws -> String {
        for target in ["paywall", "subscription_status"] {
            #expect(message.contains("action=\"replace\" target=\"\(target)\""), "\(event): \(message)")
        }
        let dates = Set(message.split(separator: "datetime=\"").dropFirst().map { $0.prefix { $0 != "\"" } })
        let states = Set(message.split(separator: "data-state=\"").dropFirst().map { $0.prefix { $0 != "\"" } })
        #expect(dates.count == 1 && states.count == 1, "\(event): \(message)")
        return String(try #require(dates.first))
    }

    private func page(on server: PaycastServer) throws -> EventStreamClient {
        let order = try PrintedAnswer(server.paycast("order", "--user", "42", "--product", "paycast.pro.monthly"))
        let (name, since) = (try order["signed_stream"], try order["since"])
        return try EventStreamClient(port: server.port, path: "/streams?name=\(name)&since=\(since)")
    }

    private func trigger(_ event: String, on server: PaycastServer) throws {
        let process = server.paycast("trigger", "apple", event, "--user", "42")
        #expect(try process.waitForExit() == 0, "\(process.errors)")
    }
}
