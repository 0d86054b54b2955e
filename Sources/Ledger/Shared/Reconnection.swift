internal import Support

/// When a lost server may be asked again: at once, then after 0.1 seconds, doubling up to 5, with jitter, so that the
/// nodes do not all come at the same moment.
public struct Reconnection: Sendable {
    private var failures = 0
    /// In nanoseconds of the monotonic clock.
    private var due: UInt64 = 0

    public init() {}

    public mutating func failed() {
        failures += 1
        let most = min(5.0, 0.1 * Double(1 << min(failures, 10)))
        due = monotonicNanoseconds() + UInt64(Double.random(in: 0.5...1) * most * 1e9)
    }

    /// How long until it may be tried again.
    public var delay: Duration {
        let now = monotonicNanoseconds()
        return .nanoseconds(Int64(clamping: due > now ? due - now : 0))
    }
}
