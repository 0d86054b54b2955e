/// Decides when to read, and whether broadcasts arrive.
///
/// Pure; times are on the monotonic clock.
struct CableHealth {
    enum News: Equatable {
        case connected
        /// The table could not be read for this long.
        case recovered(after: Duration)
    }

    private let timing: CableTiming
    /// Since the last answer.
    private(set) var failures = 0
    private var outageSince: Duration?
    private var busySince: Duration?
    /// When to read.
    private(set) var next: Duration
    /// Nil from the first answer until the table cannot be read.
    private(set) var problem: CableProblem? = .starting

    init(timing: CableTiming, now: Duration) {
        self.timing = timing
        next = now
    }

    mutating func succeeded(at now: Duration, hasMore: Bool) -> News? {
        next = hasMore ? now : now + timing.interval
        failures = 0
        busySince = nil
        guard problem != nil else { return nil }
        problem = nil
        guard let since = outageSince else { return .connected }
        outageSince = nil
        return .recovered(after: now - since)
    }

    /// Returns true when an outage begins. `random`, from 0 to 1, spreads out the reconnects of several servers.
    mutating func failed(_ problem: CableProblem, at now: Duration, random: Double) -> Bool {
        if problem == .busy, now - (busySince ?? now) < timing.patience {
            // A writer is at work, which ends by itself.
            busySince = busySince ?? now
            next = now + timing.interval
            return false
        }
        let pause = min(timing.pause.upperBound, timing.pause.lowerBound * (1 << min(failures, 16)))
        failures += 1
        next = now + pause * (0.5 + random / 2)
        self.problem = problem
        defer { outageSince = outageSince ?? now }
        return outageSince == nil
    }

    /// Nothing is read while the ledger takes nothing.
    mutating func postpone(at now: Duration) {
        next = now + timing.interval
    }
}

/// The intervals and deadlines of the listener.
public struct CableTiming: Sendable {
    /// The interval between two readings: Solid Cable's own.
    public var interval: Duration
    /// How long the database may be locked, and the ledger refuse broadcasts, before that is a problem.
    public var patience: Duration
    /// The pause before the first reconnect, and the pause that it grows to after several failures.
    public var pause: ClosedRange<Duration>

    public init(
        interval: Duration = .milliseconds(100),
        patience: Duration = .seconds(5),
        pause: ClosedRange<Duration> = .milliseconds(100) ... .seconds(5)
    ) {
        self.interval = interval
        self.patience = patience
        self.pause = pause
    }
}
