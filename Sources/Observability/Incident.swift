internal import Domain

/// A failure that repeats: a line when it begins, one when it ends, and a count between. Pure.
public struct Incident: Sendable, Equatable {
    /// What it is now; nil when all is well.
    public private(set) var reason: String?
    /// How often it was met since it began.
    public private(set) var count = 0
    /// Monotonic nanoseconds.
    private var beganAt: UInt64 = 0
    private var metAt: UInt64 = 0
    /// Nanoseconds without a failure after which it is over.
    private let calm: UInt64

    /// `calm` is for what comes and goes while it lasts: on a full disk every third small write succeeds.
    public init(calm: Duration = .zero) {
        self.calm = UInt64(max(0, calm.milliseconds)) * 1_000_000
    }

    /// What an operator is to be told.
    public enum News: Sendable, Equatable {
        case began(reason: String)
        case ended(count: Int, seconds: Int)
    }

    /// `now` is in monotonic nanoseconds. Nil: nothing new.
    public mutating func met(_ reason: String, now: UInt64) -> News? {
        let isNew = self.reason == nil
        if isNew { (count, beganAt) = (0, now) }
        self.reason = reason
        metAt = now
        count += 1
        return isNew ? .began(reason: reason) : nil
    }

    /// It was not met this time.
    public mutating func isOver(now: UInt64) -> News? {
        guard reason != nil, now >= metAt + calm else { return nil }
        reason = nil
        return .ended(count: count, seconds: Int((max(now, beganAt) - beganAt) / 1_000_000_000))
    }
}
