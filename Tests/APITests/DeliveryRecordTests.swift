import Testing

@testable import API

@Suite struct DeliveryRecordTests {
    enum Delivery: Sendable {
        case accepted(Int64)
        case refused(Int64)
        /// Refused for its time alone.
        case late(Int64)
        /// Genuine, and the store's API gives no answer that can be used.
        case unread(Int64)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var deliveries: [Delivery]
        var now: Int64
        var isAlone = true
        /// Nil: all is well.
        var says: String?
    }

    private static let hour: Int64 = 3600
    /// One every ten minutes.
    private static let regular = (0..<20).map { Delivery.accepted($0 * 600) }

    @Test(arguments: [
        Case(testDescription: "nothing ever came", deliveries: [], now: 90_000),
        Case(
            testDescription: "all since the start were refused",
            deliveries: [.refused(10), .refused(20), .refused(30)],
            now: 130,
            says: "Stripe: the last 3 deliveries were refused (bad_signature, the newest evt_12345678), the first 2 "
                + "minutes ago: compare PAYCAST_STRIPE_SECRETS with what the store has"
        ),
        Case(testDescription: "two may be an experiment", deliveries: [.refused(10), .refused(20)], now: 30),
        Case(
            testDescription: "one was accepted in the meantime",
            deliveries: [.refused(10), .refused(20), .accepted(25), .refused(30)],
            now: 40
        ),
        Case(
            testDescription: "a stranger's, between those of a busy shop",
            deliveries: [.accepted(0), .refused(10), .refused(20), .refused(30)],
            now: 309
        ),
        Case(
            testDescription: "and then nothing that is accepted",
            deliveries: [.accepted(0), .refused(10), .refused(20), .refused(30)],
            now: 310,
            says: "the last 3 deliveries"
        ),
        Case(
            testDescription: "a small shop's, hours apart",
            deliveries: [.accepted(0), .refused(2 * hour), .refused(7 * hour), .refused(12 * hour)],
            now: 13 * hour,
            says: "(bad_signature, the newest evt_12345678), the first 11 hours ago"
        ),
        Case(
            testDescription: "a day after the newest",
            deliveries: [.refused(10), .refused(20), .refused(30)],
            now: 24 * hour + 30
        ),
        Case(
            testDescription: "a row that was forgotten does not go on",
            deliveries: [.refused(10), .refused(20), .refused(24 * hour + 20)],
            now: 24 * hour + 40
        ),
        Case(
            testDescription: "the clock",
            deliveries: [.late(10), .late(20), .late(30)],
            now: 40,
            says: "(signed_in_past), the first less than a minute ago: synchronize this machine's clock"
        ),
        Case(
            testDescription: "after a minute",
            deliveries: [.late(10), .late(20), .late(30)],
            now: 129,
            says: "the first 1 minute ago"
        ),
        Case(
            testDescription: "the store's API",
            deliveries: [.unread(10), .unread(20), .unread(30)],
            now: 40,
            says: "(store_unreachable, the newest evt_12345678), the first less than a minute ago: the store's API "
                + "gives an answer that cannot be used; the log says why"
        ),
        Case(testDescription: "regular", deliveries: regular, now: 19 * 600 + 1800),
        Case(
            testDescription: "silent for more than an hour, and three times the longest pause",
            deliveries: regular,
            now: 19 * 600 + hour + 60,
            says: "Stripe: nothing was accepted for 61 minutes, and the longest pause before was 10"
        ),
        Case(
            testDescription: "a night is no news",
            deliveries: regular + [.accepted(19 * 600 + 8 * hour)],
            now: 19 * 600 + 16 * hour
        ),
        Case(
            testDescription: "another node may have got them",
            deliveries: regular,
            now: 19 * 600 + 2 * hour,
            isAlone: false
        ),
        Case(testDescription: "too few to say what is usual", deliveries: Array(regular.prefix(10)), now: 90_000),
    ]) func warns(_ given: Case) {
        var record = DeliveryRecord()
        for delivery in given.deliveries {
            switch delivery {
            case .accepted(let now): record.accepted(at: now)
            case .refused(let now):
                let refusal = DeliveryRecord.Refusal(
                    reason: "bad_signature",
                    setting: "PAYCAST_STRIPE_SECRETS",
                    event: "evt_12345678"
                )
                record.refused(refusal, at: now)
            case .late(let now):
                record.refused(DeliveryRecord.Refusal(reason: "signed_in_past", setting: nil, event: nil), at: now)
            case .unread(let now):
                let refusal = DeliveryRecord.Refusal(
                    reason: "store_unreachable",
                    setting: nil,
                    event: "evt_12345678",
                    api: "gives an answer that cannot be used"
                )
                record.refused(refusal, at: now)
            }
        }
        let warning = record.warning(about: "Stripe", at: given.now, silenceCounts: given.isAlone)
        guard let text = given.says else {
            #expect(warning == nil)
            return
        }
        #expect(warning?.contains(text) == true, "\(warning ?? "-")")
    }

    @Test func longestPauseIsKnownAfterTen() {
        var record = DeliveryRecord()
        for number in 0..<10 { record.accepted(at: Int64(number) * 600) }
        #expect(record.longestPause == nil)
        record.accepted(at: 9 * 600 + 7200)
        #expect(record.longestPause == 7200)
    }
}
