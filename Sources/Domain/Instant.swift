/// A point in time: whole milliseconds since 1970-01-01T00:00:00Z, fine enough for every store's signed dates.
public struct Instant: Hashable, Comparable, Sendable {
    public var milliseconds: Int64

    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Whole seconds since 1970, rounded down.
    public var seconds: Int64 { milliseconds / 1000 - (milliseconds % 1000 < 0 ? 1 : 0) }

    public static func < (left: Instant, right: Instant) -> Bool { left.milliseconds < right.milliseconds }

    /// Saturates instead of overflowing: dates come from payloads.
    public static func + (left: Instant, right: Duration) -> Instant {
        let (sum, overflow) = left.milliseconds.addingReportingOverflow(right.milliseconds)
        return Instant(milliseconds: overflow ? (right.milliseconds > 0 ? .max : .min) : sum)
    }

    public static func - (left: Instant, right: Duration) -> Instant {
        left + (Duration.zero - right)
    }
}

extension Duration {
    /// Whole milliseconds, rounded toward zero; saturates instead of overflowing.
    public var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, isBeyond) = seconds.multipliedReportingOverflow(by: 1000)
        let (sum, overflows) = whole.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        return isBeyond || overflows ? (seconds > 0 ? .max : .min) : sum
    }
}
