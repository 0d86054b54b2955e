import Synchronization

/// The newest webhooks that were refused, in memory: nothing that a stranger posted is kept, only that it came.
final class RefusedWebhooks: Sendable {
    static let limit = 500

    private let refusals = Mutex<[AttentionAnswer.Refused]>([])

    func add(_ refusal: AttentionAnswer.Refused) {
        refusals.withLock { refusals in
            // As many at once as are kept, so that a flood does not move all of them for each.
            if refusals.count == 2 * RefusedWebhooks.limit { refusals.removeFirst(RefusedWebhooks.limit) }
            refusals.append(refusal)
        }
    }

    /// Newest first.
    var newest: [AttentionAnswer.Refused] { refusals.withLock { $0.suffix(RefusedWebhooks.limit).reversed() } }
}
