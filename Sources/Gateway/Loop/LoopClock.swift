internal import Concurrency
internal import Domain

/// The time of one loop.
struct LoopClock {
    /// Ticks since the start.
    private(set) var now = 0
    /// The value of `Date` at this tick. Made once a second.
    private(set) var date = Clock().now().httpDate

    mutating func tick() {
        now += 1
        if now % LoopSettings.ticksPerSecond == 0 { date = Clock().now().httpDate }
    }
}
