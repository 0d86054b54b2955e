import Testing

@testable import Gateway

/// Each timer notes its own interval when it is due.
@Suite final class LoopTimersTests {
    private var timers = LoopTimers()
    private var fired: [UInt64] = []
    private var kept: [LoopTimer] = []

    private let millisecond: UInt64 = 1_000_000

    @Test func waitsUntilTheFirstIsDueAndNotLess() {
        #expect(timers.milliseconds(from: 0) == -1)
        add(100)
        add(30)
        #expect(timers.milliseconds(from: 0) == 30)
        #expect(timers.milliseconds(from: 29 * millisecond + 1) == 1, "a wait that ends early would spin")
        #expect(timers.milliseconds(from: 31 * millisecond) == 0)
    }

    @Test func eachIsDueAtItsOwnIntervals() {
        add(100)
        add(30)
        for time in stride(from: UInt64(0), through: 100, by: 10) { run(at: time) }
        #expect(fired == [30, 30, 30, 100])
    }

    @Test func aTickThatCameLateDoesNotShiftTheNext() {
        add(100)
        for time: UInt64 in [107, 199, 200] { run(at: time) }
        #expect(fired == [100, 100])
    }

    /// A stopped process that goes on after a minute has one tick to make up for, and not six hundred.
    @Test func whatWasSleptThroughIsNoBurst() {
        add(100)
        for time: UInt64 in [60_050, 60_051, 60_149, 60_150] { run(at: time) }
        #expect(fired == [100, 100])
    }

    @Test func endsWithItsOwner() {
        add(30)
        kept = []
        run(at: 30)
        #expect(fired.isEmpty)
        #expect(timers.milliseconds(from: 40 * millisecond) == -1)
    }

    private func add(_ milliseconds: UInt64) {
        kept.append(
            timers.add(interval: milliseconds * millisecond, now: 0) { [unowned self] in fired.append(milliseconds) }
        )
    }

    private func run(at milliseconds: UInt64) {
        for action in timers.due(at: milliseconds * millisecond) { action() }
    }
}
