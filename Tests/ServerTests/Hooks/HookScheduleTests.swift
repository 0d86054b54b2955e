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

    struct Wait: Sendable {
        var text: String
        /// Nil if it says nothing.
        var seconds: Int64?
    }

    /// It is a thousand seconds after the beginning of 1970.
    @Test(arguments: [
        Wait(text: "120", seconds: 120), Wait(text: "-1", seconds: 0), Wait(text: "9999999999", seconds: 86_400),
        Wait(text: "Thu, 01 Jan 1970 00:17:40 GMT", seconds: 60),
        Wait(text: "Thu, 01 Jan 1970 00:00:00 GMT", seconds: 0),
        Wait(text: "Sun, 06 Nov 1994 08:49:37 GMT", seconds: 86_400),
        Wait(text: "soon", seconds: nil), Wait(text: "", seconds: nil),
    ]) func readsRetryAfter(_ given: Wait) {
        let wait = HookSchedule.wait(given.text, now: HookScheduleTests.now)
        #expect(wait == given.seconds.map { Duration.seconds($0) })
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
}
