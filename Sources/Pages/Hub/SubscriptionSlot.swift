/// One place in the slab of subscriptions.
struct SubscriptionSlot {
    enum Phase {
        case free
        /// Its page missed more than one answer holds. Nothing is collected now, since the ledger will be read again.
        case paused
        /// The messages that its page missed are being read elsewhere.
        case catchingUp
        case following
    }

    var generation: UInt32 = 0
    var phase = Phase.free
    /// Whether it is in its stream's `live` list rather than in `waiting`.
    var isLive = false
    /// The kernel took the last write only in part.
    var isBlocked = false
    /// The index of its stream.
    var stream: UInt32 = 0
    /// The place in the list that `isLive` names.
    var place: UInt32 = 0
    /// How far the messages that its page missed have been read. Entries up to here that are still on their way to this
    /// hub are not for this subscription.
    var through: Int64 = 0
    var queue = SubscriptionQueue()

    /// Whether a message may be written directly, without the queue.
    var isReady: Bool { phase == .following && !isBlocked && queue.isEmpty }

    func hasRead(_ position: Int64) -> Bool { phase == .following && position <= through }
}

/// Names one subscription of one hub. A freed slot gets a new generation, so that a stale id names nothing.
public struct SubscriptionID: Hashable, Sendable {
    /// The place in the hub's slab: small and reused, so a driver may use it as an array index.
    public let index: UInt32
    public let generation: UInt32

    init(index: UInt32, generation: UInt32) {
        self.index = index
        self.generation = generation
    }
}
