import Support

/// Decides when to read, and whether broadcasts arrive.
///
/// Pure; times are on the monotonic clock.
struct SolidCableHealth {
    private let timing: BroadcastTiming
    private var outages: OutageTracker<RailsCableProblem>
    private var busySince: Duration?
    /// When to read.
    private(set) var next: Duration

    init(timing: BroadcastTiming, now: Duration) {
        self.timing = timing
        outages = OutageTracker(starting: .starting, pause: timing.pause)
        next = now
    }

    /// Since the last answer.
    var failures: Int { outages.failures }

    /// Nil from the first answer until the table cannot be read.
    var problem: RailsCableProblem? { outages.problem }

    mutating func succeeded(at now: Duration, hasMore: Bool) -> DeliveryNews? {
        next = hasMore ? now : now + timing.interval
        busySince = nil
        return outages.delivered(at: now)
    }

    /// Returns true when an outage begins. `random`, from 0 to 1, spreads out the reconnects of several servers.
    mutating func failed(_ problem: RailsCableProblem, at now: Duration, random: Double) -> Bool {
        if problem == .busy, now - (busySince ?? now) < timing.patience {
            // A writer is at work, which ends by itself.
            busySince = busySince ?? now
            next = now + timing.interval
            return false
        }
        let outage = outages.failed(problem, at: now, random: random)
        next = outage.retry
        return outage.isNew
    }

    /// Nothing is read while the ledger takes nothing.
    mutating func postpone(at now: Duration) {
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

/// Why broadcasts do not arrive, in words for the operator. Contains nothing that was broadcast, and no password.
enum RailsCableProblem: Error, Equatable, CustomStringConvertible {
    case starting
    case missingFile
    case missingTable
    /// Another process holds a lock, for longer than a transaction of the app should take.
    case busy
    /// The engine's message, with its advice.
    case unreadable(String)
    /// It accepts LISTEN, but no notification comes through.
    case noNotifications
    case tooManyStreams

    private static let todo = "check PAYCAST_RAILS_CABLE_URL, and run bin/rails db:prepare in the app"

    var description: String {
        switch self {
        case .starting: "it has not been read yet; ask again in a few seconds"
        case .missingFile: "the file is not there; \(RailsCableProblem.todo)"
        case .missingTable: "it has no table solid_cable_messages; \(RailsCableProblem.todo)"
        case .busy: "another process has locked it; find a long transaction of the app"
        case .unreadable(let reason): reason
        case .noNotifications: "no notification comes through, as behind a transaction pooler; name a direct connection"
        case .tooManyStreams:
            "pages follow more streams than can be listened to; use solid_cable or redis in the app's config/cable.yml"
        }
    }
}
