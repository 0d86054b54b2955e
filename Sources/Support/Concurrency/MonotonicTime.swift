import Glibc

/// A moment on the monotonic clock, in nanoseconds. Use it to measure durations only.
///
/// A thread that reads the clock and then waits for a lock may find under it what a later thread wrote. The difference of
/// two moments is therefore zero where it would be negative, and there is no other way to subtract them.
public struct MonotonicTime: Hashable, Comparable, Sendable, ExpressibleByIntegerLiteral {
    public let nanoseconds: UInt64

    public init(nanoseconds: UInt64) {
        self.nanoseconds = nanoseconds
    }

    public init(integerLiteral nanoseconds: UInt64) {
        self.init(nanoseconds: nanoseconds)
    }

    /// After every other moment.
    public static let max = MonotonicTime(nanoseconds: .max)

    public static func < (left: MonotonicTime, right: MonotonicTime) -> Bool { left.nanoseconds < right.nanoseconds }

    /// The nanoseconds from `earlier` to `later`; 0 if `earlier` is the later one.
    public static func - (later: MonotonicTime, earlier: MonotonicTime) -> UInt64 {
        later < earlier ? 0 : later.nanoseconds - earlier.nanoseconds
    }

    public static func + (time: MonotonicTime, nanoseconds: UInt64) -> MonotonicTime {
        let (sum, overflow) = time.nanoseconds.addingReportingOverflow(nanoseconds)
        return overflow ? .max : MonotonicTime(nanoseconds: sum)
    }

    public static func += (time: inout MonotonicTime, nanoseconds: UInt64) { time = time + nanoseconds }

    /// A negative duration counts as none.
    public static func + (time: MonotonicTime, duration: Duration) -> MonotonicTime {
        let (seconds, attoseconds) = Swift.max(duration, .zero).components
        let (nanoseconds, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? .max : time + nanoseconds + UInt64(attoseconds / 1_000_000_000)
    }

    /// Zero if `later` is the earlier one.
    public func duration(to later: MonotonicTime) -> Duration { .nanoseconds(Int64(clamping: later - self)) }
}

/// The present moment on the monotonic clock, which stands still while the machine is suspended.
public func monotonicNanoseconds() -> MonotonicTime { moment(on: CLOCK_MONOTONIC) }

/// The present moment on the monotonic clock that goes on while the machine is suspended, as the world does. Its moments are
/// not compared with those of the other one.
public func bootNanoseconds() -> MonotonicTime { moment(on: CLOCK_BOOTTIME) }

private func moment(on clock: clockid_t) -> MonotonicTime {
    var time = timespec()
    clock_gettime(clock, &time)
    return MonotonicTime(nanoseconds: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec))
}
