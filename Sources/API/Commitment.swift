internal import Concurrency
internal import Domain
internal import Gateway
internal import Ledger

/// The way of a proven event that an app brought: into the ledger, and only then to its answer.
struct Commitment: Sendable {
    private let services: Services
    private let receivedAt: UInt64

    init(_ services: Services, _ request: Request) {
        self.services = services
        receivedAt = request.receivedAt
    }

    /// What became of one event.
    enum Verdict: Sendable {
        case committed(Receipt)
        /// The queue is full, or the server goes down.
        case busy
        case failed

        var isCommitted: Bool {
            if case .committed = self { true } else { false }
        }

        /// It stays another user's. What contradicts its order is nobody's yet.
        var isRefused: Bool {
            guard case .committed(let receipt) = self else { return false }
            return receipt.claim == .refused && receipt.outcome != .quarantined
        }

        var response: Response {
            switch self {
            case .committed(let receipt) where isRefused: .ownedByOther(receipt)
            case .committed(let receipt): .committed(receipt)
            case .busy: .busy
            case .failed: .uncommitted
            }
        }
    }

    /// `user` claims it, by `order`, since `date`.
    func commit(
        _ event: Event,
        for user: UserID?,
        with order: OrderToken? = nil,
        since date: Instant? = nil,
        _ done: @escaping @Sendable (Verdict) -> Void
    ) {
        let (telemetry, receivedAt) = (services.telemetry, receivedAt)
        telemetry.verified(event.id, receivedAt: receivedAt)
        let isTaken = services.writer.submit(
            .event(
                event,
                claim: user.map { Claim(user: $0, order: order) },
                receivedAt: date ?? services.clock.now()
            ) { result in
                let verdict = (try? result.get()).map(Verdict.committed) ?? .failed
                telemetry.answered(event.id, isCommitted: verdict.isCommitted, receivedAt: receivedAt)
                done(verdict)
            }
        )
        guard !isTaken else { return }
        telemetry.dropped(event.id)
        done(.busy)
    }

    /// One after the other, so that a receipt of many purchases never crowds the queue.
    func commit(
        _ events: ArraySlice<Event>,
        for user: UserID?,
        since date: Instant? = nil,
        after verdicts: [Verdict] = [],
        _ done: @escaping @Sendable ([Verdict]) -> Void
    ) {
        guard let event = events.first else { return done(verdicts) }
        commit(event, for: user, since: date) { verdict in
            let verdicts = verdicts + [verdict]
            guard case .committed = verdict else { return done(verdicts) }
            commit(events.dropFirst(), for: user, since: date, after: verdicts, done)
        }
    }
}
