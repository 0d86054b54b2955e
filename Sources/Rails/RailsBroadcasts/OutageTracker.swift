/// Whether a source delivers, since when it does not, and how long to wait before the next attempt.
///
/// Pure; times are on the monotonic clock.
struct OutageTracker: Sendable {
    /// Who delivers and fails at once, again and again, is not tried at once again and again.
    private static let steady = Duration.seconds(1)

    private let pause: ClosedRange<Duration>
    /// Since the source last delivered for a second.
    private(set) var failures = 0
    private var deliveringSince: Duration?
    private var since: Duration?
    /// Nil while the source delivers.
    private(set) var problem: BroadcastProblem?

    /// `pause` is the one before the first new attempt, and the one that it grows to after several failures.
    init(starting problem: BroadcastProblem, pause: ClosedRange<Duration>) {
        self.problem = problem
        self.pause = pause
    }

    /// Returns nil if it delivered before.
    mutating func delivered(at now: Duration) -> DeliveryNews? {
        forgetFailures(at: now)
        guard problem != nil else { return nil }
        problem = nil
        deliveringSince = now
        guard let since else { return .connected }
        self.since = nil
        return .recovered(after: now - since)
    }

    /// Returns when to try again, and whether an outage begins. `random`, from 0 to 1, spreads out the attempts of several
    /// servers that lost the same source.
    mutating func failed(
        _ problem: BroadcastProblem,
        at now: Duration,
        random: Double
    ) -> (retry: Duration, isNew: Bool) {
        forgetFailures(at: now)
        deliveringSince = nil
        let pause = min(pause.upperBound, pause.lowerBound * (1 << min(failures, 16)))
        failures += 1
        self.problem = problem
        defer { since = since ?? now }
        return (now + pause * (0.5 + random / 2), since == nil)
    }

    private mutating func forgetFailures(at now: Duration) {
        if let deliveringSince, now - deliveringSince >= OutageTracker.steady { failures = 0 }
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
