import Domain
import Support
import TestSupport
import Testing

@testable import API

@Suite struct StoreTimeRecordTests {
    enum Step: Sendable {
        /// A store answers with a date.
        case answered(Int64)
        /// A genuine delivery was refused, signed then.
        case refused(Int64)
        /// The same of another store.
        case otherRefused(Int64)
        case accepted
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// One each second; the machine's clock begins at 10,000.
        var steps: [Step]
        /// Seconds, in the second after the last one; nil if nothing is known.
        var ahead: Int64?
    }

    @Test(arguments: [
        Case(testDescription: "nobody has said anything", steps: []),
        Case(testDescription: "an answer", steps: [.answered(9400)], ahead: 600),
        Case(testDescription: "a clock that is behind", steps: [.answered(10_600)], ahead: -600),
        Case(testDescription: "the last answer counts", steps: [.answered(9400), .answered(10_001)], ahead: 0),
        Case(testDescription: "two may be late", steps: [.refused(9400), .refused(9401)]),
        Case(testDescription: "three that agree", steps: [.refused(9400), .refused(9401), .refused(9402)], ahead: 600),
        Case(
            testDescription: "one that a stranger sends again and again",
            steps: [.refused(9400), .refused(9400), .refused(9400), .refused(9400)]
        ),
        Case(
            testDescription: "held up in a queue, each for another time",
            steps: [.refused(9000), .refused(9300), .refused(9600), .refused(9690)]
        ),
        Case(
            testDescription: "a queue that was held up and comes at once, of an event every quarter of a minute",
            steps: [.refused(9000), .refused(9015), .refused(9030), .refused(9045)]
        ),
        Case(
            testDescription: "as late as the network makes them",
            steps: [.refused(9400), .refused(9405), .refused(9404), .refused(9406)],
            ahead: 597
        ),
        Case(
            testDescription: "two stores in turn",
            steps: [
                .refused(9400), .otherRefused(9401), .refused(9402), .otherRefused(9403), .refused(9404),
            ],
            ahead: 600
        ),
        Case(
            testDescription: "two of each of two stores",
            steps: [.refused(9400), .otherRefused(9401), .refused(9402), .otherRefused(9403)]
        ),
        Case(
            testDescription: "another store's do not count for one whose was accepted",
            steps: [.refused(9400), .refused(9401), .otherRefused(9402), .accepted, .otherRefused(9404)]
        ),
        Case(
            testDescription: "newer than an answer",
            steps: [.answered(10_000), .refused(9401), .refused(9402), .refused(9403)],
            ahead: 600
        ),
        Case(
            testDescription: "an answer settles it",
            steps: [.refused(9400), .refused(9401), .refused(9402), .answered(10_003), .refused(9404)],
            ahead: 0
        ),
        Case(
            testDescription: "accepted again",
            steps: [.refused(9400), .refused(9401), .refused(9402), .accepted]
        ),
        Case(
            testDescription: "one was accepted in between",
            steps: [.refused(9400), .refused(9401), .accepted, .refused(9403), .refused(9404)]
        ),
    ]) func tells(_ given: Case) {
        var record = StoreTimeRecord()
        for (second, step) in given.steps.enumerated() {
            let now = MonotonicTime.seconds(second)
            switch step {
            case .answered(let date): record.answered(.stripe, date: StoreTimeRecordTests.date(date), now: now)
            case .refused(let date): record.refused(.stripe, signedAt: StoreTimeRecordTests.date(date), now: now)
            case .otherRefused(let date):
                record.refused(.google, signedAt: StoreTimeRecordTests.date(date), now: now)
            case .accepted: record.accepted(.stripe)
            }
        }
        let second = given.steps.count
        let ahead = record.ahead(at: StoreTimeRecordTests.date(10_000 + Int64(second)), now: .seconds(second))
        #expect(ahead?.seconds == given.ahead)
    }

    /// Nobody has to be asked again.
    @Test func aStepOfTheClockShowsAtOnce() {
        var record = StoreTimeRecord()
        record.answered(.google, date: StoreTimeRecordTests.date(1000), now: .seconds(5))
        #expect(record.ahead(at: StoreTimeRecordTests.date(1060), now: .seconds(65))?.seconds == 0)
        #expect(record.ahead(at: StoreTimeRecordTests.date(1660), now: .seconds(65))?.seconds == 600)
    }

    private static func date(_ seconds: Int64) -> Instant { Instant(milliseconds: seconds * 1000) }
}
