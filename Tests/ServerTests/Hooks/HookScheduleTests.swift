import Domain
import Testing

@testable import Server

@Suite struct HookScheduleTests {
    private static let now = Instant(milliseconds: 1_000_000)

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var answer: HookAnswer
        var attempts = 0
        var jitter = 0.0
        /// Seconds until the next attempt; nil for another end.
        var delay: Int64?
    }

    static let cases =
        [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400].enumerated().map { index, delay in
            Case(
                testDescription: "attempt \(index + 1)",
                answer: HookAnswer(status: 500),
                attempts: index,
                delay: Int64(delay)
            )
        } + [
            Case(
                testDescription: "a fifth later",
                answer: HookAnswer(problem: "x"),
                attempts: 1,
                jitter: 1,
                delay: 360
            ),
            Case(
                testDescription: "as asked",
                answer: HookAnswer(status: 503, retryAfter: .seconds(1000)),
                attempts: 1,
                delay: 1000
            ),
            Case(
                testDescription: "not sooner than usual",
                answer: HookAnswer(status: 429, retryAfter: .seconds(1)),
                attempts: 1,
                delay: 300
            ),
            Case(
                testDescription: "a day at most",
                answer: HookAnswer(status: 503, retryAfter: .seconds(1_000_000)),
                delay: 86_400
            ),
            Case(testDescription: "a redirect", answer: HookAnswer(status: 302), delay: 5),
        ]

    @Test(arguments: cases) func triesAgain(_ given: Case) {
        let schedule = HookSchedule(attempts: given.attempts, now: HookScheduleTests.now, jitter: given.jitter)
        guard case .retry(let at, _) = schedule.result(of: given.answer) else {
            Issue.record("it does not try again")
            return
        }
        #expect(at == HookScheduleTests.now + .seconds(given.delay ?? 0))
    }

    @Test func endsWithTheTenthAttempt() {
        let last = HookSchedule(attempts: 9, now: HookScheduleTests.now, jitter: 0)
        guard case .failed = last.result(of: HookAnswer(status: 500)) else {
            Issue.record("it goes on")
            return
        }
        #expect(last.result(of: HookAnswer(status: 204)) == .accepted)
        guard case .gone = last.result(of: HookAnswer(status: 410)) else {
            Issue.record("it is not gone")
            return
        }
    }

    @Test func oneMessageOfAUserAtATime() {
        var lanes = HookLanes()
        let isBegun = ["a", "a", "b"].map { lanes.begin("42", to: $0, now: 0) }
        #expect(isBegun == [true, false, true])
        #expect(lanes.room(at: "a", now: 0) == (HookLanes.most - 1, 1))
        lanes.end("42", to: "a", answer: HookAnswer(status: 200), now: 0)
        // What is due was asked before that, so the answer may still have it.
        let isBegunAgain = lanes.begin("42", to: "a", now: 0)
        _ = lanes.look(at: "a", now: 0)
        let isBegunLater = lanes.begin("42", to: "a", now: 0)
        #expect(!isBegunAgain && isBegunLater)
    }

    /// An address that is down costs one attempt, and then another, less and less often; others go on.
    @Test func anAddressThatFailsIsLeftAlone() {
        var lanes = HookLanes()
        let second: UInt64 = 1_000_000_000
        var now: UInt64 = 0
        for pause in [1, 2, 4, 8, 16, 32, 60, 60] as [UInt64] {
            for address in ["a", "b"] { _ = lanes.look(at: address, now: now) }
            let isBegun = [lanes.begin("42", to: "a", now: now), lanes.begin("43", to: "b", now: now)]
            #expect(isBegun == [true, true])
            lanes.end("43", to: "b", answer: HookAnswer(status: 200), now: now)
            lanes.end("42", to: "a", answer: HookAnswer(problem: "down"), now: now)
            #expect(lanes.room(at: "a", now: now + pause * second - 1).free == 0)
            now += pause * second
            #expect(lanes.room(at: "a", now: now) == (1, 0))
        }
        _ = lanes.look(at: "a", now: now)
        _ = lanes.begin("42", to: "a", now: now)
        lanes.end("42", to: "a", answer: HookAnswer(status: 200), now: now)
        #expect(lanes.room(at: "a", now: now) == (HookLanes.most, 0))
    }

    /// It refuses this message, and may accept the next one.
    @Test func aMessageThatIsRefusedHoldsUpNoOther() {
        var lanes = HookLanes()
        _ = lanes.begin("42", to: "a", now: 0)
        lanes.end("42", to: "a", answer: HookAnswer(status: 422), now: 0)
        #expect(lanes.room(at: "a", now: 0) == (HookLanes.most, 0))
    }
}
