import Domain
import Simulator
import Support
import TestSupport
import Testing

/// The renewal info that an app posts beside its transaction says what a webhook would have said.
@Suite(.blocking) struct PostedRenewalJourneyTests {
    struct Change: CustomTestStringConvertible, Sendable {
        var type: String
        var subtype: String?
        /// Of the contract, and what the pages are sent then.
        var state: String
        var next: String?

        var testDescription: String { [type, subtype].compactMap { $0 }.joined(separator: "/") }
    }

    private static let cancellation = Change(
        type: "DID_CHANGE_RENEWAL_STATUS",
        subtype: "AUTO_RENEW_DISABLED",
        state: "cancelled"
    )

    private static let changes = [
        cancellation,
        Change(type: "DID_CHANGE_RENEWAL_PREF", subtype: "DOWNGRADE", state: "active", next: "paycast.pro.annual"),
        Change(type: "DID_FAIL_TO_RENEW", state: "in_billing_retry"),
        Change(type: "DID_FAIL_TO_RENEW", subtype: "GRACE_PERIOD", state: "in_grace_period"),
        Change(type: "EXPIRED", subtype: "VOLUNTARY", state: "expired"),
        Change(type: "REFUND", state: "revoked"),
    ]

    /// What follows a purchase, half a minute ago.
    private func following(_ bought: SimulatedEvent, _ change: Change) -> SimulatedEvent {
        var notification = bought
        (notification.type, notification.subtype) = (change.type, change.subtype)
        notification.facts.state = .active
        notification.facts.accessUntil = bought.now + .days(30)
        notification.now = Clock().now() - .seconds(30)
        notification.id = OrderToken.random().description
        return notification
    }

    private func pair(_ app: AppPost, _ notification: SimulatedEvent, user: String) throws -> [String: String] {
        [
            "signedTransaction": try app.store.transaction(notification),
            "signedRenewalInfo": try app.store.renewal(notification),
            "stream": try app.stream(of: user),
        ]
    }

    /// All that is told of a user's purchase, without what differs between two users.
    private func told(_ app: AppPost, of user: String, lineage: String) throws -> String {
        let answer = try app.entitlements(of: user).replacing(/,"since".+/, with: "")
        return answer.replacing(user, with: "USER").replacing(lineage, with: "LINEAGE")
    }

    @Test(arguments: changes) func saysWhatAWebhookSays(_ change: Change) throws {
        let app = try AppPost()
        let posting = app.purchase("2000000000000001", token: try app.order(of: "posting"))
        var notified = posting
        notified.facts.lineage = "2000000000000002"
        notified.token = try app.order(of: "notified")
        let page = try app.page("posting")
        #expect(
            try app.post("/transactions/apple", members: pair(app, posting, user: "posting"))["outcome"] == "applied"
        )
        #expect(try app.webhook(notified)["outcome"] == "applied")
        _ = try app.told(page, of: "posting")

        let posted = following(posting, change)
        var sent = posted
        (sent.facts.lineage, sent.token) = (notified.facts.lineage, notified.token)
        let answer = try app.post("/transactions/apple", members: pair(app, posted, user: "posting"))
        #expect(answer.status == 200 && answer["outcome"] == "applied", "\(answer.body)")
        #expect(try app.webhook(sent)["outcome"] == "applied")

        let ofPosting = try told(app, of: "posting", lineage: "2000000000000001")
        #expect(ofPosting.contains(#""state":"\#(change.state)""#), "\(ofPosting)")
        #expect(change.next.map { ofPosting.contains(#""pending_product":"\#($0)""#) } ?? true, "\(ofPosting)")
        #expect(try ofPosting == told(app, of: "notified", lineage: "2000000000000002"))
        let sight = try app.told(page, of: "posting").joined()
        #expect(sight.contains(#"data-state="\#(change.state)""#), "\(sight)")
        let again = try app.post("/transactions/apple", members: pair(app, posted, user: "posting"))
        #expect(again["outcome"] == "duplicate")
    }

    /// The webhook knows more than what the app kept.
    @Test func olderRenewalInfoUndoesNothing() throws {
        let app = try AppPost()
        let bought = app.purchase("2000000000000001", token: try app.order(of: "42"))
        #expect(try app.webhook(bought)["outcome"] == "applied")
        let cancelled = following(bought, PostedRenewalJourneyTests.cancellation)
        #expect(try app.webhook(cancelled)["outcome"] == "applied")
        let known = try told(app, of: "42", lineage: bought.facts.lineage)
        #expect(known.contains(#""state":"cancelled""#))

        #expect(try app.post("/transactions/apple", members: pair(app, bought, user: "42"))["outcome"] == "stale")
        #expect(try told(app, of: "42", lineage: bought.facts.lineage) == known)

        // A transaction that was signed just now makes old renewal info no newer.
        var mixed = try pair(app, bought, user: "42")
        var fresh = cancelled
        fresh.now = Clock().now()
        mixed["signedTransaction"] = try app.store.transaction(fresh)
        #expect(try app.post("/transactions/apple", members: mixed).status == 200)
        #expect(try told(app, of: "42", lineage: bought.facts.lineage) == known)
    }

    /// A charge as it was before its refund, beside what Apple has signed of its renewal since.
    @Test func refundStays() throws {
        let app = try AppPost()
        let bought = app.purchase("2000000000000001", token: try app.order(of: "42"))
        var old = try pair(app, bought, user: "42")
        #expect(try app.post("/transactions/apple", members: old)["outcome"] == "applied")
        let refund = following(bought, Change(type: "REFUND", state: "revoked"))
        #expect(try app.webhook(refund)["outcome"] == "applied")
        let known = try told(app, of: "42", lineage: bought.facts.lineage)
        #expect(known.contains(#""state":"revoked""#))

        var fresh = following(bought, PostedRenewalJourneyTests.cancellation)
        for date in [Clock().now() - .seconds(20), Clock().now()] {
            fresh.now = date
            old["signedRenewalInfo"] = try app.store.renewal(fresh)
            #expect(try app.post("/transactions/apple", members: old).status == 200)
            #expect(try told(app, of: "42", lineage: bought.facts.lineage).contains(#""state":"revoked""#))
        }
    }

    struct Mismatch: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var apply: @Sendable (inout SimulatedEvent) -> Void
    }

    @Test(arguments: [
        Mismatch(testDescription: "of another purchase") { $0.facts.lineage = "2000000000000009" },
        Mismatch(testDescription: "of another environment") { $0.environment = .production },
    ]) func renewalInfoOfSomethingElseIsRefused(_ mismatch: Mismatch) throws {
        let app = try AppPost()
        let bought = app.purchase("2000000000000001", token: try app.order(of: "42"))
        var other = bought
        mismatch.apply(&other)
        var body = try pair(app, bought, user: "42")
        body["signedRenewalInfo"] = try app.store.renewal(other)
        let answer = try app.post("/transactions/apple", members: body)
        #expect(answer.status == 400 && answer["error"] == "mismatched_renewal", "\(answer.body)")
        #expect(try app.entitlements(of: "42").contains(#""contracts":[]"#))
    }

    @Test func replayChangesNothing() throws {
        let app = try AppPost()
        let bought = app.purchase("2000000000000001", token: try app.order(of: "42"))
        for notification in [bought, following(bought, PostedRenewalJourneyTests.cancellation)] {
            #expect(try app.post("/transactions/apple", members: pair(app, notification, user: "42")).status == 200)
        }
        let known = try told(app, of: "42", lineage: bought.facts.lineage)
        #expect(known.contains(#""state":"cancelled""#))
        let replay = app.server.paycast("replay", "--user", "42", "--dry-run")
        #expect(try replay.waitForExit() == 0, "\(replay.errors)")
        #expect(replay.output == "2 read, 0 would change, 0 skipped\n")
        #expect(try told(app, of: "42", lineage: bought.facts.lineage) == known)
    }
}
