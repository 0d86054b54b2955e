import Support

/// Decides whether a source that keeps nothing delivers, judging by heartbeats that take the same way as broadcasts: Redis
/// and PostgreSQL deliver at most once, and a connection that looks healthy may deliver nothing
/// (https://github.com/anycable/anycable/issues/275, https://github.com/rails/rails/issues/27659).
///
/// Pure.
struct HeartbeatHealth: Sendable {
    /// What to do now.
    enum Action: Equatable {
        case connect
        case beat(Int)
        case giveUp(BroadcastProblem)
    }

    private enum Phase {
        case waiting(until: MonotonicTime)
        case opening(until: MonotonicTime)
        /// `due` is when the pending heartbeat must be back.
        case subscribed(next: MonotonicTime, due: MonotonicTime?)
    }

    private let timing: BroadcastTiming
    private let silent: BroadcastProblem
    private var phase = Phase.waiting(until: 0)
    private var lastBeat = 0
    private var backoff: Backoff
    private var incident: Incident

    /// `silent` is the problem of a heartbeat that does not come back.
    init(timing: BroadcastTiming, starting: BroadcastProblem, silent: BroadcastProblem) {
        self.timing = timing
        self.silent = silent
        backoff = timing.backoff
        incident = Incident(reason: starting.description)
    }

    /// Nil from the first heartbeat that comes back until the connection is lost.
    var problem: String? { incident.reason }

    /// When `act` has something to do.
    var next: MonotonicTime {
        switch phase {
        case .waiting(let until), .opening(let until): until
        case .subscribed(let next, let due): due ?? next
        }
    }

    mutating func act(at now: MonotonicTime) -> Action? {
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
    mutating func connected(at now: MonotonicTime) {
        if case .opening = phase { phase = .opening(until: now + timing.patience) }
    }

    /// The subscription is confirmed; a heartbeat must still show that it delivers. A server may confirm it again and
    /// again.
    mutating func subscribed(at now: MonotonicTime) {
        guard case .opening = phase else { return }
        phase = .subscribed(next: now, due: nil)
    }

    mutating func heard(_ beat: Int, at now: MonotonicTime) -> Incident.News? {
        guard case .subscribed(let next, _?) = phase, beat == lastBeat else { return nil }
        phase = .subscribed(next: next, due: nil)
        backoff.works(at: now)
        return incident.recordSuccess(now: now)
    }

    /// Gives the pending heartbeat its whole time again: broadcasts came before it, which proves that the connection
    /// delivers, or the listener does not read now.
    mutating func postpone(at now: MonotonicTime) {
        guard case .subscribed(let next, _?) = phase else { return }
        phase = .subscribed(next: next, due: now + timing.patience)
    }

    /// The connection failed.
    mutating func lost(_ problem: BroadcastProblem, at now: MonotonicTime, jitter: Double) -> Incident.News? {
        phase = .waiting(until: now + backoff.failed(at: now, jitter: jitter))
        return incident.recordFailure(problem.description, now: now)
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
