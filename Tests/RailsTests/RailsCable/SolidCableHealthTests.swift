import Support
import Testing

@testable import Rails

@Suite struct SolidCableHealthTests {
    private let timing = BroadcastTiming(
        interval: .seconds(1),
        patience: .seconds(5),
        backoff: Backoff(first: .seconds(2), most: .seconds(6))
    )

    @Test func readsAgainAfterTheIntervalOrAtOnce() {
        var health = SolidCableHealth(timing: timing, now: .zero)
        #expect(health.problem == .unread)
        #expect(health.succeeded(at: .seconds(1), hasMore: true) == .connected)
        #expect(health.next == .seconds(1))
        #expect(health.succeeded(at: .seconds(1), hasMore: false) == nil)
        #expect(health.next == .seconds(2))
        #expect(health.problem == nil)
    }

    @Test func pausesGrowUntilItRecovers() {
        var health = SolidCableHealth(timing: timing, now: .zero)
        #expect(health.failed(.missingFile, at: .zero, jitter: 1) == true)
        #expect(health.next == .seconds(2))
        #expect(health.failed(.missingTable, at: .seconds(2), jitter: 1) == false)
        #expect(health.next == .seconds(6))
        for _ in 0..<100 { #expect(health.failed(.missingTable, at: .seconds(6), jitter: 1) == false) }
        #expect(health.next == .seconds(12))
        #expect(health.problem == .missingTable)
        #expect(health.succeeded(at: .seconds(12), hasMore: false) == .recovered(after: .seconds(12)))
        #expect(health.failed(.missingFile, at: .seconds(13), jitter: 0) == true)
        #expect(health.next == .seconds(14))
    }

    @Test func lockIsNoProblemUntilItLasts() {
        var health = SolidCableHealth(timing: timing, now: .zero)
        _ = health.succeeded(at: .zero, hasMore: false)
        #expect(health.failed(.busy, at: .seconds(1), jitter: 1) == false)
        #expect(health.failed(.busy, at: .seconds(5), jitter: 1) == false)
        #expect(health.problem == nil)
        #expect(health.failed(.busy, at: .seconds(6), jitter: 1) == true)
        #expect(health.problem == .busy)
        #expect(health.succeeded(at: .seconds(7), hasMore: false) == .recovered(after: .seconds(1)))
    }
}
