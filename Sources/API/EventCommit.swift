import Domain
import Ledger
import Pages
import Support

/// Commits a verified event that a store sent or an app posted, and answers only after the commit.
struct EventCommit: Sendable {
    let services: Services
    /// The arrival of its request.
    let receivedAt: MonotonicTime
    /// What the log says of a commit.
    let step: StaticString
    /// Nil unless a backend says whose the purchases are.
    var act: Act?
    /// Of an app's post, whose purchase may have no order.
    var trace: TraceID?

    /// The result for one event.
    enum Verdict: Sendable {
        case committed(CommitResult)
        /// The queue is full, or the server is shutting down.
        case busy
        case failed

        var isApplied: Bool {
            if case .committed(let result) = self { result.outcome == .applied } else { false }
        }

        /// The purchase stays with another user, although this one asked for it.
        var isRefused: Bool {
            guard case .committed(let result) = self else { return false }
            return result.claim == .refused
        }

        var response: Response {
            switch self {
            case .committed(let result) where isRefused: .ownedByOther(result)
            case .committed(let result): .committed(result)
            case .busy: .busy
            case .failed: .uncommitted
            }
        }
    }

    /// `claim` was made at `date`.
    func commit(
        _ event: Event,
        claim: Claim? = nil,
        since date: Instant? = nil,
        done: @escaping @Sendable (Verdict) -> Void
    ) {
        let telemetry = services.telemetry
        telemetry.verified(EventKey(event), receivedAt: receivedAt)
        let command = LedgerCommand.event(event, claim: claim, receivedAt: date ?? services.clock.now()) { result in
            let committed = try? result.get()
            if let committed {
                services.log.tracing(trace ?? committed.trace).step(
                    step,
                    fields: [
                        "provider": event.provider.rawValue, "outcome": committed.outcome.rawValue,
                        "event": committed.event, "cursor": committed.cursor,
                    ]
                )
            }
            telemetry.answered(EventKey(event), outcome: committed?.outcome, receivedAt: receivedAt)
            done(committed.map(Verdict.committed) ?? .failed)
        }
        guard !services.writer.submit(command.audited(by: act)) else { return }
        telemetry.dropped(EventKey(event))
        done(.busy)
    }

    /// Commits one event after the other, so that a receipt with many purchases never crowds the queue.
    func commit(
        _ events: ArraySlice<Event>,
        claim: Claim?,
        since date: Instant? = nil,
        after verdicts: [Verdict] = [],
        done: @escaping @Sendable ([Verdict]) -> Void
    ) {
        guard let event = events.first else { return done(verdicts) }
        commit(event, claim: claim, since: date) { verdict in
            let verdicts = verdicts + [verdict]
            guard case .committed = verdict else { return done(verdicts) }
            var next = self
            // A whole history that is imported is one act.
            if claim?.isImported == true { next.act = nil }
            next.commit(events.dropFirst(), claim: claim, since: date, after: verdicts, done: done)
        }
    }
}
