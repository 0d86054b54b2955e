import Domain

/// A failure that repeats: the log gets one line when it begins and one, with a count, when it ends. Pure.
public struct Incident: Sendable, Equatable {
    /// The latest reason; nil when all is well.
    public private(set) var reason: String?
    /// How often the failure occurred since it began.
    public private(set) var count = 0
    private var beganAt: MonotonicTime = 0
    private var metAt: MonotonicTime = 0
    /// How many nanoseconds must pass without a failure before the incident is over.
    private let calm: UInt64

    /// Set `calm` for a failure that comes and goes while it lasts: on a full disk every third small write succeeds.
    public init(calm: Duration = .zero) {
        self.calm = UInt64(max(0, calm.milliseconds)) * 1_000_000
    }

    /// The message for an operator.
    public enum News: Sendable, Equatable {
        case began(reason: String)
        case ended(count: Int, seconds: Int)
    }

    /// Records one failure. Returns nil when there is nothing new to report.
    public mutating func recordFailure(_ reason: String, now: MonotonicTime) -> News? {
        let isNew = self.reason == nil
        if isNew { (count, beganAt) = (0, now) }
        self.reason = reason
        metAt = now
        count += 1
        return isNew ? .began(reason: reason) : nil
    }

    /// Records that the failure did not occur. Returns the news that the incident is over, if it is.
    public mutating func recordSuccess(now: MonotonicTime) -> News? {
        guard reason != nil, now >= metAt + calm else { return nil }
        reason = nil
        return .ended(count: count, seconds: Int((now - beganAt) / 1_000_000_000))
    }
}
