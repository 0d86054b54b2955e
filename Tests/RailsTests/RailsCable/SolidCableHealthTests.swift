import Support
import TestSupport
import Testing

@testable import Rails

@Suite struct SolidCableHealthTests {
    private let timing = BroadcastTiming(
        interval: .seconds(1),
        patience: .seconds(5),
        backoff: Backoff(first: .seconds(2), most: .seconds(6))
    )

    @Test func readsAgainAfterTheIntervalOrAtOnce() {
        var health = SolidCableHealth(timing: timing)
        #expect(health.problem == BroadcastProblem.unread.description)
        #expect(health.succeeded(at: .seconds(1), hasMore: true) == .works)
        #expect(health.next == .seconds(1))
        #expect(health.succeeded(at: .seconds(1), hasMore: false) == nil)
        #expect(health.next == .seconds(2))
        #expect(health.problem == nil)
    }

    @Test func pausesGrowUntilItRecovers() {
        var health = SolidCableHealth(timing: timing)
        #expect(health.failed(.missingFile, at: .zero, jitter: 1) != nil)
        #expect(health.next == .seconds(2))
        #expect(health.failed(.missingTable, at: .seconds(2), jitter: 1) == nil)
        #expect(health.next == .seconds(6))
        for _ in 0..<100 { #expect(health.failed(.missingTable, at: .seconds(6), jitter: 1) == nil) }
        #expect(health.next == .seconds(12))
        #expect(health.problem == BroadcastProblem.missingTable.description)
        #expect(health.succeeded(at: .seconds(12), hasMore: false) == .ended(count: 102, seconds: 12))
        #expect(health.failed(.missingFile, at: .seconds(13), jitter: 0) != nil)
        #expect(health.next == .seconds(14))
    }

    @Test func lockIsNoProblemUntilItLasts() {
        var health = SolidCableHealth(timing: timing)
        _ = health.succeeded(at: .zero, hasMore: false)
        #expect(health.failed(.busy, at: .seconds(1), jitter: 1) == nil)
        #expect(health.failed(.busy, at: .seconds(5), jitter: 1) == nil)
        #expect(health.problem == nil)
        #expect(health.failed(.busy, at: .seconds(6), jitter: 1) != nil)
        #expect(health.problem == BroadcastProblem.busy.description)
        #expect(health.succeeded(at: .seconds(7), hasMore: false) == .ended(count: 1, seconds: 1))
    }
}
