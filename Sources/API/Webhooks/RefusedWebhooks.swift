import Synchronization

/// The newest webhooks that were refused, in memory: nothing that a stranger posted is kept, only that it came.
final class RefusedWebhooks: Sendable {
    static let limit = 500

    private struct Ring {
        var refusals: [AttentionAnswer.Refused] = []
        var oldest = 0
    }

    private let ring = Mutex(Ring())

    func add(_ refusal: AttentionAnswer.Refused) {
        ring.withLock { ring in
            guard ring.refusals.count == RefusedWebhooks.limit else { return ring.refusals.append(refusal) }
            ring.refusals[ring.oldest] = refusal
            ring.oldest = (ring.oldest + 1) % RefusedWebhooks.limit
        }
    }

    /// Newest first.
    var newest: [AttentionAnswer.Refused] {
        ring.withLock { (Array($0.refusals[$0.oldest...]) + $0.refusals[..<$0.oldest]).reversed() }
    }
}
