import API
import APIModel
import Domain
import Encoding
import HTTPClient
import Simulator
import Support
import TestSupport
import Testing

/// What Apple asks about refunds, from its notification to its API, which has an address of its own and may be down.
@Suite(.blocking) struct RefundJourneyTests {
    private static let user = "mara@example.com"
    private static let yes =
        #"{"customer_consented":true,"delivery_status":"DELIVERED","sample_content_provided":true,"reason":"ticket 7"}"#

    private struct Asked {
        let journey: AppleJourney
        let order: OrderToken
        /// One period, and so one transaction.
        private let end = Clock().now() + .seconds(86_400)
        private(set) var transaction = ""

        /// A user has bought, and wants the money back.
        init() throws {
            journey = try AppleJourney()
            order = try journey.order(for: RefundJourneyTests.user).token
            try say("SUBSCRIBED", subtype: "INITIAL_BUY")
            try say("CONSUMPTION_REQUEST")
            transaction = try RefundJourneyTests.attention(journey).refunds.first?.transaction ?? ""
        }

        func say(_ type: String, subtype: String? = nil) throws {
            _ = try journey.post(journey.say(type, subtype: subtype, of: order, until: end))
        }

        func answer(_ body: String = RefundJourneyTests.yes) throws -> String {
            try journey.ask("POST", "/refunds/apple/\(transaction)", body: Array(body.utf8), key: true)
        }

        /// What Apple has been told.
        func told() throws -> [String] {
            let jobs = standInJobs()?["consumption"]?[transaction]
            guard case .array(let bodies)? = jobs else { return [] }
            return bodies.compactMap(\.text)
        }

        private func standInJobs() -> JSONNode? {
            journey.standIn.answer(StandInRequest(method: "GET", path: "/jobs")).flatMap { JSONNode($0.body) }
        }

        /// Calls that Apple got, whether or not it took them.
        var calls: Int { journey.apple.requests.count { $0.path.contains("/v2/transactions/consumption/") } }
    }

    private static func attention(_ journey: AppleJourney) throws -> AttentionAnswer {
        let answer = try journey.ask("GET", "/attention", key: true)
        return try #require(JSON.decode(AttentionAnswer.self, from: Array(answer.utf8)), "\(answer)")
    }

    @Test func theAnswerIsSentOnceAppleTakesIt() throws {
        let asked = try Asked()
        let journey = asked.journey
        let refund = try #require(try Self.attention(journey).refunds.first)
        #expect(refund.user == UserID(Self.user) && refund.product == "paycast.pro.monthly" && refund.isSubscription)
        #expect(refund.price == 9990 && refund.currency == "USD" && refund.reason == "UNINTENDED_PURCHASE")
        let one = try journey.ask("GET", "/refunds/apple/\(asked.transaction)", key: true)
        #expect(JSON.decode(AttentionAnswer.Refund.self, from: Array(one.utf8)) == refund, "\(one)")
        let path = "/users/\(Self.user.replacing("@", with: "%40"))"
        let record = try journey.ask("GET", path, key: true)
        #expect(JSON.decode(UserAnswer.self, from: Array(record.utf8))?.refunds == [refund], "\(record)")
        #expect(try journey.ask("GET", "/users/44", key: true).contains(#""refunds":[]"#))
        let left = try #require(Instant(iso8601: refund.deadline)).elapsed(since: Clock().now())
        #expect(left > .seconds(43_000) && left <= .seconds(43_200))
        // Nothing is sent without consent, nor what Apple would refuse.
        for (body, code) in [
            (#"{"delivery_status":"DELIVERED","sample_content_provided":true}"#, "no_consent"),
            (Self.yes.replacing(":true,\"del", with: ":false,\"del"), "no_consent"),
            (Self.yes.replacing("}", with: #","consumption_percentage":5000}"#), "invalid_consumption"),
            (Self.yes.replacing("DELIVERED", with: "LOST"), "invalid_json"),
            (Self.yes.replacing("ticket 7", with: "for \(Self.user)"), "invalid_reason"),
        ] { #expect(try asked.answer(body).contains(#""error":"\#(code)""#), "\(body)") }
        #expect(asked.calls == 0)
        journey.setDown(true)
        #expect(try asked.answer().contains(#""state":"waiting""#))
        try Deadline(.seconds(60)).wait(for: "an attempt") { asked.calls > 0 }
        #expect(try journey.ask("GET", path, key: true).contains(#""refunds":[]"#))
        // It needs nobody any more, the same answer is no second one, and another comes too late.
        #expect(try Self.attention(journey).refunds.isEmpty)
        let answered = try journey.ask("GET", "/refunds/apple/\(asked.transaction)", key: true)
        #expect(answered.contains(#""error":"unknown_refund_request""#))
        #expect(try asked.answer().contains(#""state":"waiting""#))
        let other = Self.yes.replacing("}", with: #","refund_preference":"GRANT_FULL"}"#)
        #expect(try asked.answer(other).contains(#""error":"refund_answered""#))
        try asked.say("CONSUMPTION_REQUEST")
        #expect(try Self.attention(journey).refunds.isEmpty)
        journey.setDown(false)
        try Deadline(.seconds(60)).wait(for: "Apple") { try asked.told().count == 1 }
        let expected = #"{"customerConsented":true,"deliveryStatus":"DELIVERED","sampleContentProvided":true}"#
        #expect(try asked.told() == [expected])
        try Deadline(.seconds(60)).wait(for: "its end") { try asked.answer().contains(#""state":"sent""#) }
        #expect(try asked.told().count == 1)
        let audit = try journey.ask("GET", "/audit?actor=api", key: true)
        for part in [#""action":"refund","actor":"api""#, #""reason":"ticket 7""#] {
            #expect(audit.contains(part), "\(audit)")
        }
        #expect(audit.ranges(of: #""action":"refund""#).count == 1 && audit.contains(#""user":"\#(Self.user)""#))
        let log = journey.server.process.errors
        #expect(!log.contains(Self.user) && !log.contains(asked.transaction) && !log.contains("ticket 7"), "\(log)")
    }

    /// Apple is down for longer than it reads an answer.
    @Test func nothingIsSentAfterTheTwelveHours() throws {
        let asked = try Asked()
        asked.journey.setDown(true)
        #expect(try asked.answer().contains(#""state":"waiting""#))
        try Deadline(.seconds(60)).wait(for: "an attempt") { asked.calls > 0 }
        _ = try asked.journey.ask("PUT", "/demo/api/clock", body: Array(#"{"advance":43201}"#.utf8))
        let before = asked.calls
        asked.journey.setDown(false)
        try Deadline(.seconds(60)).wait(for: "the end") {
            try Self.attention(asked.journey).jobs.contains { $0.reason == "its time is up" }
        }
        #expect(try asked.told().isEmpty && asked.calls == before)
        #expect(try asked.answer().contains(#""error":"unknown_refund_request""#))
    }

    @Test func whatNobodyAnswersLeavesWithItsTime() throws {
        let asked = try Asked()
        _ = try asked.journey.ask("PUT", "/demo/api/clock", body: Array(#"{"advance":43201}"#.utf8))
        #expect(try Self.attention(asked.journey).refunds.isEmpty)
        #expect(try asked.answer().contains(#""error":"unknown_refund_request""#))
        #expect(try Self.attention(asked.journey).jobs.isEmpty && asked.calls == 0)
    }

    @Test(arguments: ["REFUND", "REFUND_DECLINED"]) func aDecisionOfApplesEndsTheQuestion(_ type: String) throws {
        let asked = try Asked()
        try asked.say("CONSUMPTION_REQUEST")
        #expect(try Self.attention(asked.journey).refunds.count == 1)
        try asked.say(type)
        #expect(try Self.attention(asked.journey).refunds.isEmpty)
        #expect(try asked.answer().contains(#""error":"unknown_refund_request""#))
    }

    private func ask(_ method: String, _ path: String, at node: PaycastServer) throws -> String {
        let key = node.folder.read(".paycast/api.key")?.prefix { !$0.isNewline } ?? ""
        let response = try HTTPClient(timeout: .seconds(20)).send(
            method,
            to: node.url + path,
            headers: [("Authorization", "Bearer \(key)")],
            body: method == "GET" ? nil : Array(Self.yes.utf8)
        )
        return String(decoding: response.body, as: UTF8.self)
    }

    /// What Apple refuses for good stands there again, with its reason, and may be answered again.
    @Test func aRefusedAnswerIsListedAgain() throws {
        let machine = AnsweringServer { request in
            request.path.contains("/consumption/") ? .init(400, body: #"{"errorCode":4000006}"#) : .init(202)
        }
        let settings = ["PAYCAST_APPLE_API_URL": machine.url, "PAYCAST_APPLE_ENVIRONMENTS": "Sandbox"]
        let server = try PaycastServer(environment: settings)
        let asked = server.paycast("trigger", "apple", "CONSUMPTION_REQUEST", "--user", "42")
        #expect(try asked.waitForExit() == 0, "\(asked.errors)")
        let listed = {
            try JSON.decode(AttentionAnswer.self, from: Array(ask("GET", "/attention", at: server).utf8))?.refunds ?? []
        }
        let found = try #require(listed().first)
        let path = "/refunds/apple/\(found.transaction)"
        #expect(try ask("POST", path, at: server).contains(#""state":"waiting""#))
        try Deadline(.seconds(60)).wait(for: "Apple's refusal") {
            try ask("GET", path, at: server).contains("the transaction id is invalid")
        }
        #expect(try listed().first?.refusal?.contains("the transaction id is invalid") == true)
        #expect(try ask("POST", path, at: server).contains(#""state":"waiting""#))
    }

    /// Two nodes: asked at one, answered at the other, sent once.
    @Test(.enabled(if: PostgresCluster.isInstalled)) func anyNodeTakesTheAnswer() throws {
        let machine = AnsweringServer { _ in .init(202) }
        let settings = ["PAYCAST_APPLE_API_URL": machine.url, "PAYCAST_APPLE_ENVIRONMENTS": "Sandbox"]
        let cluster = try PostgresCluster()
        let nodes = try (0..<2).map { _ in
            try PaycastServer(environment: settings.merging(["DATABASE_URL": cluster.url]) { $1 })
        }
        let asked = nodes[0].paycast("trigger", "apple", "CONSUMPTION_REQUEST", "--user", "42")
        #expect(try asked.waitForExit() == 0, "\(asked.errors)")
        let found = try #require(
            JSON.decode(AttentionAnswer.self, from: Array(ask("GET", "/attention", at: nodes[1]).utf8))?.refunds.first
        )
        #expect(found.user == "42")
        let answer = try ask("POST", "/refunds/apple/\(found.transaction)", at: nodes[1])
        #expect(answer.contains(#""state":"waiting""#))
        try Deadline(.seconds(60)).wait(for: "Apple") {
            try ask("POST", "/refunds/apple/\(found.transaction)", at: nodes[0]).contains(#""state":"sent""#)
        }
        #expect(machine.requests.count { $0.path.hasSuffix("/consumption/\(found.transaction)") } == 1)
    }
}
