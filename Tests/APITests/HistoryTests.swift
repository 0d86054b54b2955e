import APIModel
import Domain
import Support
import Testing

@testable import API

/// What a server has counted, step by step.
@Suite struct HistoryTests {
    private let metrics = Metrics()
    private let start = Instant(milliseconds: 1_764_763_200_000)

    private func minute(_ number: Int64) -> Instant { start + .seconds(60 * number) }

    @Test func aStepIsTheDifferenceOfTwoSamples() throws {
        let applied = metrics.counter(.events, labels: ["provider": "apple", "outcome": "applied"])
        let stale = metrics.counter(.events, labels: ["provider": "apple", "outcome": "stale"])
        let pages = metrics.gauge(.pages, labels: ["transport": "sse"])
        let delay = metrics.histogram(.webhookDelay, labels: ["provider": "apple"])
        let written = metrics.histogram(.webhookWritten)
        let failures = metrics.counter(.hookFailures)
        let history = History(metrics)
        history.tick(at: minute(0))
        applied.add(3)
        pages.set(2)
        delay.record(.seconds(2))
        written.record(nanoseconds: 1_500_000)
        history.tick(at: minute(0) + .seconds(59))
        history.tick(at: minute(1))
        stale.add()
        failures.add(4)
        let steps = history.steps(of: .hour, now: minute(1) + .seconds(5))
        #expect(steps.map(\.at) == [minute(0).iso8601, minute(1).iso8601])
        #expect(steps.map(\.events) == [["apple": ["applied": 3]], ["apple": ["stale": 1]]])
        #expect(steps.map(\.hookFailures) == [0, 4] && steps.map(\.pages) == [["sse": 2], ["sse": 2]])
        // Evenly within the bucket from 1 s to 2 s, and within that from 1 ms to 2.5 ms.
        #expect(steps[0].delays == ["apple": 1.5] && steps[1].delays.isEmpty)
        #expect(steps[0].pageP50.map { abs($0 - 0.00175) < 1e-9 } == true && steps[1].pageP50 == nil)
        #expect(steps[0].pageP99.map { $0 > 0.0024 && $0 < 0.0025 } == true)
    }

    @Test func anHourAndADayAreRemembered() {
        let applied = metrics.counter(.events, labels: ["provider": "apple", "outcome": "applied"])
        let history = History(metrics)
        for number in 0..<3000 {
            history.tick(at: minute(Int64(number)))
            applied.add()
        }
        let now = minute(3000)
        let hour = history.steps(of: .hour, now: now)
        #expect(hour.count == 60 && hour.first?.at == minute(2940).iso8601)
        #expect(hour.allSatisfy { $0.events == ["apple": ["applied": 1]] })
        let day = history.steps(of: .day, now: now)
        #expect(day.count == 96 && day.first?.events == ["apple": ["applied": 15]])
    }

    /// In development, somebody may turn the clock back.
    @Test func aClockThatGoesBackStopsNothing() {
        let history = History(metrics)
        history.tick(at: minute(10))
        history.tick(at: minute(2))
        #expect(history.steps(of: .hour, now: minute(3)).count == 2)
    }
}
