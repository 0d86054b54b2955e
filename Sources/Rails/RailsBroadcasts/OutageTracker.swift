import Support

/// Whether a source delivers, since when it does not, and how long to wait before the next attempt.
///
/// Pure; times are on the monotonic clock.
struct OutageTracker: Sendable {
    private(set) var backoff: Backoff
    private var deliveringSince: Duration?
    private var since: Duration?
    /// Nil while the source delivers.
    private(set) var problem: BroadcastProblem?

    init(starting problem: BroadcastProblem, backoff: Backoff) {
        self.problem = problem
        self.backoff = backoff
    }

    /// Returns nil if it delivered before.
    mutating func delivered(at now: Duration) -> DeliveryNews? {
        noteDelivery(at: now)
        guard problem != nil else { return nil }
        problem = nil
        deliveringSince = now
        guard let since else { return .connected }
        self.since = nil
        return .recovered(after: now - since)
    }

    /// Returns when to try again, and whether an outage begins.
    mutating func failed(
        _ problem: BroadcastProblem,
        at now: Duration,
        jitter: Double
    ) -> (retry: Duration, isNew: Bool) {
        noteDelivery(at: now)
        deliveringSince = nil
        self.problem = problem
        defer { since = since ?? now }
        return (now + backoff.failed(jitter: jitter), since == nil)
    }

    private mutating func noteDelivery(at now: Duration) {
        if let deliveringSince { backoff.worked(for: now - deliveringSince) }
    }
}

/// Why broadcasts do not arrive, in words for the operator. Contains nothing that was broadcast, and no password.
struct BroadcastProblem: Error, Equatable, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// A source delivers again, or for the first time.
enum DeliveryNews: Equatable, Sendable {
    case connected
    /// It did not for this long.
    case recovered(after: Duration)
}
