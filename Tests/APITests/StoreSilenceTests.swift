import Domain
import Support
import Testing

@testable import API

@Suite struct StoreSilenceTests {
    enum Step: Sendable {
        case unanswered
        case answered
        /// A delivery that could not be read.
        case delayed
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var steps: [Step]
        var deliveries: Int
        var isTold: Bool
        var isOutage = false
        /// How often it was news that the silence began.
        var began = 0
    }

    private static let webhook: [Step] = [.unanswered, .delayed]

    @Test(arguments: [
        Case(testDescription: "nothing was asked", steps: [], deliveries: 0, isTold: false),
        Case(testDescription: "two may be a hiccup", steps: webhook + webhook, deliveries: 2, isTold: false),
        Case(
            testDescription: "the third in a row",
            steps: webhook + webhook + webhook,
            deliveries: 3,
            isTold: true,
            isOutage: true,
            began: 1
        ),
        Case(
            testDescription: "nobody delivers",
            steps: [.unanswered, .unanswered, .unanswered, .unanswered],
            deliveries: 0,
            isTold: true,
            began: 1
        ),
        Case(
            testDescription: "an answer in between",
            steps: webhook + webhook + [.answered] + webhook,
            deliveries: 1,
            isTold: false
        ),
        Case(
            testDescription: "it begins again",
            steps: webhook + webhook + webhook + [.answered] + webhook + webhook + webhook,
            deliveries: 3,
            isTold: true,
            isOutage: true,
            began: 2
        ),
        Case(
            testDescription: "a stranger's wait for what another is being told",
            steps: [.delayed, .delayed, .delayed, .delayed],
            deliveries: 0,
            isTold: false
        ),
    ]) func counts(_ given: Case) {
        var silence = StoreSilence()
        var began = 0
        for (second, step) in given.steps.enumerated() {
            let now = MonotonicTime(nanoseconds: UInt64(second) * 1_000_000_000)
            switch step {
            case .unanswered:
                if silence.unanswered("no answer", at: Instant(milliseconds: Int64(second)), now: now) { began += 1 }
            case .answered: _ = silence.answered(now: now)
            case .delayed: if silence.delayed() { began += 1 }
            }
        }
        #expect(silence.deliveries == given.deliveries)
        #expect(silence.isTold == given.isTold)
        #expect(silence.isOutage == given.isOutage)
        #expect(began == given.began)
    }

    @Test func saysSinceWhenAndHowLong() {
        var silence = StoreSilence()
        let second: UInt64 = 1_000_000_000
        for number in 1...4 as ClosedRange<UInt64> {
            let now = MonotonicTime(nanoseconds: number * second)
            _ = silence.unanswered("\(number)", at: Instant(milliseconds: Int64(number)), now: now)
            _ = silence.delayed()
        }
        #expect(silence.since == Instant(milliseconds: 1) && silence.reason == "4")
        #expect(silence.isFresh(now: MonotonicTime(nanoseconds: 33 * second)))
        #expect(!silence.isFresh(now: MonotonicTime(nanoseconds: 34 * second)))
        let news = silence.answered(now: MonotonicTime(nanoseconds: 61 * second))
        #expect(news == .ended(deliveries: 4, seconds: 60))
        #expect(silence.answered(now: MonotonicTime(nanoseconds: 62 * second)) == nil)
    }
}
