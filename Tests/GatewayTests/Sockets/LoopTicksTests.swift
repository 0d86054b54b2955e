import Support
import Testing

@testable import Gateway

@Suite struct LoopTicksTests {
    private let ticks = LoopTicks(every: .milliseconds(100), from: 0)
    private let millisecond: UInt64 = 1_000_000

    @Test func waitsUntilTheNextIsDueAndNotLess() {
        #expect(ticks.milliseconds(from: 0, orUntil: .max) == 100)
        #expect(ticks.milliseconds(from: 0, orUntil: 0 + 30 * millisecond) == 30)
        #expect(
            ticks.milliseconds(from: 0 + 99 * millisecond + 1, orUntil: .max) == 1,
            "a wait that ends early would spin"
        )
        #expect(ticks.milliseconds(from: 0 + 101 * millisecond, orUntil: .max) == 0)
    }

    @Test func oneThatCameLateDoesNotShiftTheNext() {
        #expect(due(at: [99, 107, 199, 200]) == [107, 200])
    }

    /// A stopped process that goes on after a minute has one tick to make up for, and not six hundred.
    @Test func whatWasSleptThroughIsNoBurst() {
        #expect(due(at: [60_050, 60_051, 60_149, 60_150]) == [60_050, 60_150])
    }

    private func due(at times: [UInt64]) -> [UInt64] {
        var ticks = ticks
        return times.filter { ticks.areDue(at: 0 + $0 * millisecond) }
    }
}
