import Support

/// Decides whether a source that keeps nothing delivers, judging by heartbeats that take the same way as broadcasts: Redis
/// and PostgreSQL deliver at most once, and a connection that looks healthy may deliver nothing
/// (https://github.com/anycable/anycable/issues/275, https://github.com/rails/rails/issues/27659).
///
/// Pure; times are on the monotonic clock.
struct HeartbeatHealth: Sendable {
    /// What to do now.
    enum Action: Equatable {
        case connect
        case beat(Int)
        case giveUp(BroadcastProblem)
    }

    private enum Phase {
        case waiting(until: Duration)
        case opening(until: Duration)
        /// `due` is when the pending heartbeat must be back.
        case subscribed(next: Duration, due: Duration?)
    }

    private let timing: BroadcastTiming
    private let silent: BroadcastProblem
    private var phase: Phase
    private var lastBeat = 0
    private var outages: OutageTracker

    /// `silent` is the problem of a heartbeat that does not come back.
    init(timing: BroadcastTiming, starting: BroadcastProblem, silent: BroadcastProblem, now: Duration) {
        self.timing = timing
        self.silent = silent
        phase = .waiting(until: now)
        outages = OutageTracker(starting: starting, backoff: timing.backoff)
    }

    /// Nil from the first heartbeat that comes back until the connection is lost.
    var problem: BroadcastProblem? { outages.problem }

    /// When `act` has something to do.
    var next: Duration {
        switch phase {
        case .waiting(let until), .opening(let until): until
        case .subscribed(let next, let due): due ?? next
        }
    }

    mutating func act(at now: Duration) -> Action? {
        guard next <= now else { return nil }
        switch phase {
        case .waiting:
            phase = .opening(until: now + timing.patience)
            return .connect
        case .opening, .subscribed(_, _?): return .giveUp(silent)
        case .subscribed(_, nil):
            lastBeat += 1
            phase = .subscribed(next: now + timing.heartbeat, due: now + timing.patience)
            return .beat(lastBeat)
        }
    }

    /// Opening the connection took its time; the subscription has its own.
    mutating func connected(at now: Duration) {
        if case .opening = phase { phase = .opening(until: now + timing.patience) }
    }

    /// The subscription is confirmed; a heartbeat must still show that it delivers. A server may confirm it again and
    /// again.
    mutating func subscribed(at now: Duration) {
        guard case .opening = phase else { return }
        phase = .subscribed(next: now, due: nil)
    }

    mutating func heard(_ beat: Int, at now: Duration) -> DeliveryNews? {
        guard case .subscribed(let next, _?) = phase, beat == lastBeat else { return nil }
        phase = .subscribed(next: next, due: nil)
        return outages.delivered(at: now)
    }

    /// Gives the pending heartbeat its whole time again: broadcasts came before it, which proves that the connection
    /// delivers, or the listener does not read now.
    mutating func postpone(at now: Duration) {
        guard case .subscribed(let next, _?) = phase else { return }
        phase = .subscribed(next: next, due: now + timing.patience)
    }

    /// The connection failed. Returns true when an outage begins.
    mutating func lost(_ problem: BroadcastProblem, at now: Duration, jitter: Double) -> Bool {
        let outage = outages.failed(problem, at: now, jitter: jitter)
        phase = .waiting(until: outage.retry)
        return outage.isNew
    }
}

/// The intervals and deadlines of a listener.
public struct BroadcastTiming: Sendable {
    /// The interval between two heartbeats.
    var heartbeat = Duration.seconds(2)
    /// The interval between two readings of a table: Solid Cable's own.
    var interval = Duration.milliseconds(100)
    /// How long a subscription may take, a table be locked, and nothing arrive while a heartbeat is on its way.
    var patience = Duration.seconds(5)
    /// How long the ledger may refuse broadcasts before that is a problem.
    var ledgerPatience = Duration.seconds(5)
    /// How often every node says what its pages follow.
    var repetition = Duration.seconds(60)
    /// Of reconnects.
    var backoff = Backoff(first: .milliseconds(100), most: .seconds(5))

    public static let usual = BroadcastTiming()
}
