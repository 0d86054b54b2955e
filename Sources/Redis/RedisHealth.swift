/// Decides whether broadcasts arrive, judging by heartbeats that take the same way: Redis delivers at most once, and a
/// connection that looks healthy may deliver nothing (https://github.com/anycable/anycable/issues/275,
/// https://github.com/rails/rails/issues/27659).
///
/// Pure; times are on the monotonic clock.
struct RedisHealth {
    /// What to do now.
    enum Action: Equatable {
        case connect
        case beat(Int)
        case giveUp(RedisProblem)
    }

    enum News: Equatable {
        case connected
        /// Broadcasts may have been lost for this long.
        case recovered(after: Duration)
    }

    private enum Phase {
        case waiting(until: Duration)
        case opening(until: Duration)
        /// `due` is when the pending heartbeat must be back.
        case subscribed(next: Duration, due: Duration?)
    }

    private let timing: RedisTiming
    private var phase: Phase
    private var lastBeat = 0
    private var failures = 0
    private var outageSince: Duration?
    /// Nil from the first heartbeat that comes back until the connection is lost.
    private(set) var problem: RedisProblem? = .starting

    init(timing: RedisTiming, now: Duration) {
        self.timing = timing
        phase = .waiting(until: now)
    }

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
        case .opening, .subscribed(_, _?): return .giveUp(.silent)
        case .subscribed(_, nil):
            lastBeat += 1
            phase = .subscribed(next: now + timing.heartbeat, due: now + timing.patience)
            return .beat(lastBeat)
        }
    }

    /// Redis confirmed the subscription; a heartbeat must still show that it delivers.
    mutating func subscribed(at now: Duration) {
        phase = .subscribed(next: now, due: nil)
    }

    mutating func heard(_ beat: Int, at now: Duration) -> News? {
        guard case .subscribed(let next, _?) = phase, beat == lastBeat else { return nil }
        phase = .subscribed(next: next, due: nil)
        failures = 0
        guard problem != nil else { return nil }
        problem = nil
        guard let since = outageSince else { return .connected }
        outageSince = nil
        return .recovered(after: now - since)
    }

    /// Gives the pending heartbeat its whole time again: broadcasts came before it, which proves that the connection
    /// delivers, or the listener does not read now.
    mutating func postpone(at now: Duration) {
        guard case .subscribed(let next, _?) = phase else { return }
        phase = .subscribed(next: next, due: now + timing.patience)
    }

    /// The connection failed. Returns true when an outage begins. `random`, from 0 to 1, spreads out the reconnects of
    /// several servers that lost the same Redis.
    mutating func lost(_ problem: RedisProblem, at now: Duration, random: Double) -> Bool {
        let pause = min(timing.pause.upperBound, timing.pause.lowerBound * (1 << min(failures, 16)))
        failures += 1
        phase = .waiting(until: now + pause * (0.5 + random / 2))
        self.problem = problem
        defer { outageSince = outageSince ?? now }
        return outageSince == nil
    }
}
