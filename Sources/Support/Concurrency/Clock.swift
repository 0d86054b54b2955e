public import Domain
import Glibc
import Synchronization

/// The server's idea of *now*. In development it may start at another instant, runs on from there, and can be set while
/// the server runs.
public final class Clock: Sendable {
    /// How many milliseconds this clock is ahead of the machine's clock.
    private let lead: Atomic<Int64>

    public init() {
        lead = Atomic(0)
    }

    /// A clock that reads `start` now (`PAYCAST_DEV_NOW`).
    public init(startingAt start: Instant) {
        lead = Atomic(Clock.distance(to: start))
    }

    /// How far this clock is ahead of the machine's clock.
    public var offset: Duration { .milliseconds(lead.load(ordering: .relaxed)) }

    public func now() -> Instant { Clock.realtime() + offset }

    /// Makes the clock read `instant` now and run on from there. The caller must wake threads that sleep until an
    /// instant.
    public func set(to instant: Instant) {
        lead.store(Clock.distance(to: instant), ordering: .relaxed)
    }

    private static func distance(to instant: Instant) -> Int64 {
        let (distance, overflow) = instant.milliseconds.subtractingReportingOverflow(realtime().milliseconds)
        return overflow ? 0 : distance
    }

    private static func realtime() -> Instant {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Instant(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}
