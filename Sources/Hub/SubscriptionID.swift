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
