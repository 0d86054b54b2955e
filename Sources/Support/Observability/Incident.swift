import Domain

/// A failure that repeats: since when, and what the log gets: one line when it begins and one, with a count, when it ends.
/// Pure.
public struct Incident: Sendable, Equatable {
    /// The latest reason; nil when all is well.
    public private(set) var reason: String?
    /// How often the failure occurred since it began.
    public private(set) var count = 0
    private var since: MonotonicTime?
    private var metAt: MonotonicTime = 0
    /// How long no failure must occur before the incident is over.
    private let calm: Duration

    /// Set `calm` for a failure that comes and goes while it lasts: on a full disk every third small write succeeds. `reason`
    /// is given until it is known whether anything fails.
    public init(calm: Duration = .zero, reason: String? = nil) {
        self.calm = calm
        self.reason = reason
    }

    /// The message for an operator.
    public enum News: Sendable, Equatable {
        /// All is well from the beginning.
        case works
        case began(reason: String)
        case ended(count: Int, seconds: Int)
    }

    /// Records one failure. Returns nil when there is nothing new to report.
    public mutating func recordFailure(_ reason: String, now: MonotonicTime) -> News? {
        let isNew = since == nil
        if isNew { (count, since) = (0, now) }
        self.reason = reason
        metAt = now
        count += 1
        return isNew ? .began(reason: reason) : nil
    }

    /// Records that the failure did not occur. Returns the news that the incident is over, if it is.
    public mutating func recordSuccess(now: MonotonicTime) -> News? {
        guard reason != nil, now >= metAt + calm else { return nil }
        reason = nil
        guard let since else { return .works }
        self.since = nil
        return .ended(count: count, seconds: Int((now - since) / 1_000_000_000))
    }
}
