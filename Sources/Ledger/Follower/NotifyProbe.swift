import Support

/// Decides when to find out whether notifications come through, and whether they do. Pure.
struct NotifyProbe {
    static let interval: UInt64 = 30_000_000_000
    /// How long a notification may be under way.
    static let patience: UInt64 = 5_000_000_000

    /// Whether one has come through.
    private(set) var isProven = false
    private var sent: (payload: String, at: MonotonicTime)?
    private var due: MonotonicTime = 0

    /// Whether something is to be notified now.
    func isDue(at now: MonotonicTime) -> Bool { sent == nil && now >= due }

    /// Notes what was notified, or with nil that it could not be, which says nothing of how it would have come through.
    mutating func sent(_ payload: String?, at now: MonotonicTime) {
        sent = payload.map { ($0, now) }
        due = now + NotifyProbe.interval
    }

    /// True for the first one of its own that was heard.
    mutating func heard(_ payload: String) -> Bool {
        guard sent?.payload == payload else { return false }
        defer { isProven = true }
        sent = nil
        return !isProven
    }

    /// Whether what was notified should have been heard by now.
    func isUnanswered(at now: MonotonicTime) -> Bool {
        sent.map { now >= $0.at + NotifyProbe.patience } ?? false
    }
}
