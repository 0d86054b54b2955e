/// Decides when to find out whether notifications come through, and whether they do. Pure; times are monotonic nanoseconds.
public struct NotifyProbe {
    public static let interval: UInt64 = 30_000_000_000
    /// How long a notification may be under way.
    public static let patience: UInt64 = 5_000_000_000

    /// Whether one has come through.
    public private(set) var isProven = false
    private var sent: (payload: String, at: UInt64)?
    private var due: UInt64 = 0

    public init() {}

    /// Whether something is to be notified now.
    public func isDue(at now: UInt64) -> Bool { sent == nil && now >= due }

    /// Notes what was notified, or with nil that it could not be, which says nothing of how it would have come through.
    public mutating func sent(_ payload: String?, at now: UInt64) {
        sent = payload.map { ($0, now) }
        due = now + NotifyProbe.interval
    }

    /// True for the first one of its own that was heard.
    public mutating func heard(_ payload: String) -> Bool {
        guard sent?.payload == payload else { return false }
        defer { isProven = true }
        sent = nil
        return !isProven
    }

    /// Whether what was notified should have been heard by now.
    public func isUnanswered(at now: UInt64) -> Bool {
        sent.map { now >= $0.at + NotifyProbe.patience } ?? false
    }
}
