import Domain
import Testing

@testable import Stores

/// A subscription that is past due in the middle of a paid period, or that ends before its grace does.
@Suite struct StripeGraceTests {
    private static let start: Int64 = 1_767_225_600

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// The yearly plan was paid on day 0.
        var isPaid = true
        /// Beside `status`, in days.
        var dates: [String: Int64] = [:]
        var members: [String: JSON] = [:]
        /// The day of the statement.
        var day: Int64 = 100
        var state = ContractState.inGracePeriod
        var until: Int64
    }

    static let cases = [
        Case(testDescription: "a proration is declined in a paid year", until: 365),
        Case(testDescription: "the year itself is not paid", isPaid: false, day: 1, until: 30),
        Case(testDescription: "the unpaid grace is over", isPaid: false, state: .expired, until: 30),
        Case(
            testDescription: "an invoice that was sent in a paid year is overdue",
            members: ["collection_method": "send_invoice", "days_until_due": 30],
            day: 31,
            until: 365
        ),
        Case(
            testDescription: "the invoice of the year is overdue: its grace begins then",
            isPaid: false,
            members: ["collection_method": "send_invoice", "days_until_due": 30],
            day: 31,
            until: 60
        ),
        Case(
            testDescription: "days until due say nothing about automatic charges",
            isPaid: false,
            members: ["collection_method": "charge_automatically", "days_until_due": 30],
            day: 1,
            until: 30
        ),
        Case(
            testDescription: "absurd days until due",
            isPaid: false,
            members: ["collection_method": "send_invoice", "days_until_due": .number("\(Int64.max)")],
            until: 365
        ),
        Case(
            testDescription: "it ends in the grace",
            isPaid: false,
            dates: ["cancel_at": 5],
            day: 1,
            state: .cancelled,
            until: 5
        ),
        Case(
            testDescription: "it ends in the paid grace",
            dates: ["cancel_at": 5],
            day: 1,
            state: .cancelled,
            until: 5
        ),
        Case(
            testDescription: "it ends with the paid year",
            dates: ["cancel_at": 365],
            members: ["cancel_at_period_end": true],
            until: 365
        ),
        Case(
            testDescription: "it ends with the unpaid year",
            isPaid: false,
            dates: ["cancel_at": 365],
            day: 1,
            until: 30
        ),
        Case(
            testDescription: "of a month, the end comes first",
            dates: ["current_period_start": 100, "current_period_end": 130, "cancel_at": 105],
            day: 101,
            state: .cancelled,
            until: 105
        ),
    ]

    @Test(arguments: cases) func paidTimeIsKept(_ given: Case) throws {
        let subscription = JSON.object(Self.members(given))
        let created = JSON.number("\(Self.start + given.day * 86_400)")
        let failed = try StripeSpecimen { document in
            document["id"] = "evt_past_due"
            document["type"] = "customer.subscription.updated"
            document["created"] = created
            document["data"]?["object"] = subscription
        }.verify()
        for events in permutations((given.isPaid ? [try Self.payment()] : []) + [failed]) {
            var timeline = ContractTimeline()
            for event in events { timeline.take(event, at: StripeSpecimen.now) }
            try Self.expect(timeline.status(at: Self.at(given.day)), given)
        }
    }

    /// With a key, the answer shows the invoice that waits, whether we saw the paid one or not.
    @Test(arguments: cases, [false, true]) func answerShowsWhatWaits(_ given: Case, isCurrent: Bool) throws {
        var members = Self.members(given)
        members["latest_invoice"] = [
            "id": "in_2", "object": "invoice", "status": "open", "created": .number("\(Self.start)"),
            "lines": ["data": [Self.line(isProration: given.isPaid, isCurrent: isCurrent)], "has_more": false],
        ]
        let key = ContractKey(provider: .stripe, environment: .production, app: "stripe", lineage: "sub_1")
        let body = JSON.object(members).bytes
        let now = Self.at(given.day)
        let event = try #require(StripeSubscription.event(body, of: key, catalog: Catalog(), now: now))
        var timeline = ContractTimeline()
        timeline.take(event, at: now)
        try Self.expect(timeline.status(at: now), given)
    }

    /// What does not show that the period is paid leaves the grace as it is.
    @Test(
        arguments: [
            ["status": "paid"], ["status": "void"], ["lines": ["data": []]],
            ["lines": ["data": [line(isProration: true, isCurrent: true)], "has_more": true]],
        ] as [[String: JSON]]
    ) func uncertainInvoiceExtendsNothing(_ change: [String: JSON]) throws {
        var members = Self.members(Case(testDescription: "", until: 30))
        let invoice: [String: JSON] = [
            "id": "in_2", "status": "open", "created": .number("\(Self.start)"),
            "lines": ["data": [Self.line(isProration: true, isCurrent: true)]],
        ]
        members["latest_invoice"] = .object(invoice.merging(change) { $1 })
        let key = ContractKey(provider: .stripe, environment: .production, app: "stripe", lineage: "sub_1")
        let body = JSON.object(members).bytes
        let event = try #require(StripeSubscription.event(body, of: key, catalog: Catalog(), now: Self.at(1)))
        #expect(event.observation?.snapshot?.accessUntil == Self.at(30))
    }

    private static func at(_ day: Int64) -> Instant { Instant(milliseconds: (start + day * 86_400) * 1000) }

    private static func expect(_ status: ContractStatus?, _ given: Case) throws {
        let status = try #require(status)
        #expect(status.state == given.state)
        #expect(status.accessUntil == at(given.until))
        #expect(status.product == "price_1")
    }

    private static func members(_ given: Case) -> [String: JSON] {
        let dates = ["current_period_start": 0, "current_period_end": 365].merging(given.dates) { $1 }
        let members: [String: JSON] = [
            "id": "sub_1", "object": "subscription", "status": "past_due", "customer": "cus_1", "livemode": true,
            "items": ["data": [["id": "si_1", "price": ["id": "price_1"]]]],
        ]
        return members.merging(dates.mapValues { .number("\(start + $0 * 86_400)") }) { $1 }
            .merging(given.members) { $1 }
    }

    private static func payment() throws -> Event {
        try StripeSpecimen.event(
            "invoice.paid",
            object: [
                "id": "in_1", "object": "invoice", "status": "paid", "subscription": "sub_1", "customer": "cus_1",
                "created": .number("\(start)"), "lines": ["data": [line(isProration: false, isCurrent: false)]],
            ]
        ).verify()
    }

    private static func line(isProration: Bool, isCurrent: Bool) -> JSON {
        let details: JSON = ["subscription_item": "si_1", "proration": .raw("\(isProration)")]
        let begin = isProration ? start + 100 * 86_400 : start
        var line: JSON = isCurrent ? [:] : details
        line["amount"] = 1000
        line["period"] = ["start": .number("\(begin)"), "end": .number("\(start + 365 * 86_400)")]
        if isCurrent {
            line["parent"] = ["type": "subscription_item_details", "subscription_item_details": details]
            line["pricing"] = ["price_details": ["price": "price_1"]]
        } else {
            line["price"] = ["id": "price_1"]
        }
        return line
    }
}
