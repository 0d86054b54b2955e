import Support

/// Decides when to read, and whether broadcasts arrive.
///
/// Pure.
struct SolidCableHealth {
    private let timing: BroadcastTiming
    private var backoff: Backoff
    private var incident = Incident(reason: BroadcastProblem.unread.description)
    private var busySince: MonotonicTime?
    /// When to read.
    private(set) var next: MonotonicTime = 0

    init(timing: BroadcastTiming) {
        self.timing = timing
        backoff = timing.backoff
    }

    /// Since the last answer.
    var failures: Int { backoff.failures }

    /// Nil from the first answer until the table cannot be read.
    var problem: String? { incident.reason }

    mutating func succeeded(at now: MonotonicTime, hasMore: Bool) -> Incident.News? {
        next = hasMore ? now : now + timing.interval
        busySince = nil
        backoff.works(at: now)
        return incident.recordSuccess(now: now)
    }

    mutating func failed(_ problem: BroadcastProblem, at now: MonotonicTime, jitter: Double) -> Incident.News? {
        if problem == .busy, now < (busySince ?? now) + timing.patience {
            // A writer is at work, which ends by itself.
            busySince = busySince ?? now
            next = now + timing.interval
            return nil
        }
        next = now + backoff.failed(at: now, jitter: jitter)
        return incident.recordFailure(problem.description, now: now)
    }

    /// Nothing is read while the ledger takes nothing.
    mutating func postpone(at now: MonotonicTime) {
        next = now + timing.interval
    }
}

/// The metrics that other listeners do not have.
struct RailsCableCounts: Sendable {
    let gaps, late, givenUp: Counter
    let streams: Gauge

    init(_ metrics: Metrics) {
        gaps = metrics.counter(.cableGaps)
        late = metrics.counter(.cableLate)
        streams = metrics.gauge(.cableStreams)
        givenUp = metrics.counter(.cableStreamsGivenUp)
    }
}

extension BroadcastProblem {
    private static let todo = "check PAYCAST_RAILS_CABLE_URL, and run bin/rails db:prepare in the app"

    static let unread = BroadcastProblem("it has not been read yet; ask again in a few seconds")
    static let missingFile = BroadcastProblem("the file is not there; \(todo)")
    static let missingTable = BroadcastProblem("it has no table solid_cable_messages; \(todo)")
    /// Another process holds a lock, for longer than a transaction of the app should take.
    static let busy = BroadcastProblem("another process has locked it; find a long transaction of the app")
    /// It accepts LISTEN.
    static let noNotifications = BroadcastProblem(
        "no notification comes through, as behind a transaction pooler; name a direct connection"
    )
    static let tooManyStreams = BroadcastProblem(
        "pages follow more streams than can be listened to; use solid_cable or redis in the app's config/cable.yml"
    )
}
