public import Domain
internal import Glibc

/// What the server takes for *now*. In development it may start at another instant and runs on from there.
public struct Clock: Sendable {
    /// How far it is ahead of the machine's clock.
    public let offset: Duration

    public init() {
        offset = .zero
    }

    /// A clock that reads `start` at this moment (`PAYCAST_DEV_NOW`).
    public init(startingAt start: Instant) {
        offset = .milliseconds(start.milliseconds - Clock.realtime().milliseconds)
    }

    public func now() -> Instant { Clock.realtime() + offset }

    private static func realtime() -> Instant {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Instant(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}

/// Nanoseconds of the monotonic clock: for durations only.
public func monotonicNanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
