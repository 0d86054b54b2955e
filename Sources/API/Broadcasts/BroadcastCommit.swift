internal import Domain
internal import Ledger
internal import Pages

/// The fragments of one request. The ledger commits the durable ones, the transient ones go out after the commit, and
/// the answer lists the cursors in the order of the request.
struct BroadcastCommit: Sendable {
    let services: Services
    let kept: [Fragment]
    /// Whether each fragment of the request is transient.
    let isTransient: [Bool]
    /// Set when the request has an `Idempotency-Key`: its transient fragments, too, go out at most once.
    let request: KeyedRequest?
    /// Replaces the list of cursors as the answer.
    let success: Response?

    /// Returns false if the ledger's queue is full.
    func begin(_ transient: [Message], reply: Reply) -> Bool {
        if let request {
            return services.writer.submit(
                .broadcastOnce(kept, request) { result in
                    switch result {
                    case .failure: reply.send(.uncommitted)
                    case .success(.made(let cursors)): finish(cursors, transient: transient, reply: reply)
                    case .success(.repeated(let cursors)): finish(cursors, transient: [], reply: reply)
                    case .success(.otherRequest): reply.send(BroadcastCommit.keyReused)
                    }
                }
            )
        }
        guard !kept.isEmpty else {
            finish([], transient: transient, reply: reply)
            return true
        }
        return services.writer.submit(
            .broadcast(kept) { result in
                guard case .success(let cursors) = result else { return reply.send(.uncommitted) }
                finish(cursors, transient: transient, reply: reply)
            }
        )
    }

    private func finish(_ cursors: [Cursor], transient: [Message], reply: Reply) {
        if !transient.isEmpty { services.broadcast(transient) }
        var rest = cursors[...]
        let all = isTransient.map { $0 ? nil : rest.popFirst()?.description }
        reply.send(success ?? BroadcastsEndpoint.accepted(all))
    }

    private static let keyReused = Response.error(
        422,
        code: "idempotency_key_reused",
        message: "Another body came with this Idempotency-Key within the last 24 hours; take a new key."
    )
}
