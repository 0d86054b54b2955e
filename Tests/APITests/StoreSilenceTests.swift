import Domain
import Stores
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
            testDescription: "a stranger's junk after one hiccup",
            steps: [.unanswered, .delayed, .delayed, .delayed, .delayed],
            deliveries: 4,
            isTold: false
        ),
        Case(
            testDescription: "calls that nobody's delivery has made",
            steps: [.unanswered, .delayed, .delayed, .unanswered, .unanswered],
            deliveries: 2,
            isTold: true,
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
            case .delayed: silence.delayed()
            }
        }
        #expect(silence.deliveries == given.deliveries)
        #expect(silence.isTold == given.isTold)
        #expect(silence.isOutage == given.isOutage)
        #expect(began == given.began)
    }

    /// An outage of Google's keys alone does not end with each answer of its API.
    @Test func keysAnswerForThemselves() {
        let health = StoreHealth(stores: [GoogleStore.self], clock: Clock(), metrics: Metrics(), log: .silent)
        for _ in 1...3 {
            health.asked(.google, .keys, error: .unavailable(reason: "no answer"))
            health.asked(.google, error: nil)
            #expect(health.waits(.google)?.contains("the address of google's keys has not answered since") == true)
        }
        #expect(health.problems.count == 1 && health.problems.first?.contains(", 3 times") == true)
        #expect(health.silent.isEmpty && !health.isSilent(.google))
        health.asked(.google, .keys, error: nil)
        #expect(health.problems.isEmpty && health.warnings.isEmpty && health.waits(.google) == nil)
    }

    @Test func saysSinceWhenAndHowLong() {
        var silence = StoreSilence()
        let second: UInt64 = 1_000_000_000
        for number in 1...4 as ClosedRange<UInt64> {
            let now = MonotonicTime(nanoseconds: number * second)
            _ = silence.unanswered("\(number)", at: Instant(milliseconds: Int64(number)), now: now)
            silence.delayed()
        }
        #expect(silence.since == Instant(milliseconds: 1) && silence.reason == "4")
        #expect(silence.isFresh(now: MonotonicTime(nanoseconds: 33 * second)))
        #expect(!silence.isFresh(now: MonotonicTime(nanoseconds: 34 * second)))
        let news = silence.answered(now: MonotonicTime(nanoseconds: 61 * second))
        #expect(news == .ended(deliveries: 4, seconds: 60))
        #expect(silence.answered(now: MonotonicTime(nanoseconds: 62 * second)) == nil)
    }
}
