import Domain
import Synchronization

/// The newest webhooks that were refused, in memory: nothing that a stranger posted is kept, only that it came.
final class RefusedWebhooks: Sendable {
    struct Refusal: Sendable {
        var at: Instant
        var provider: Provider
        /// The sender's address; nil if it is not known.
        var client: String?
        var reason: String
        var message: String
        /// The setting to compare with what the store has; nil for what does not look like the store's.
        var setting: String?
        var bytes: Int
    }

    static let limit = 500

    private struct Ring {
        var refusals: [Refusal] = []
        var oldest = 0
    }

    private let ring = Mutex(Ring())

    func add(_ refusal: Refusal) {
        ring.withLock { ring in
            guard ring.refusals.count == RefusedWebhooks.limit else { return ring.refusals.append(refusal) }
            ring.refusals[ring.oldest] = refusal
            ring.oldest = (ring.oldest + 1) % RefusedWebhooks.limit
        }
    }

    /// Newest first.
    var newest: [Refusal] {
        ring.withLock { (Array($0.refusals[$0.oldest...]) + $0.refusals[..<$0.oldest]).reversed() }
    }
}
