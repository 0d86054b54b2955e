internal import Domain

/// A stream with at least one subscription.
struct Stream {
    /// Nil in a free place of the slab.
    var name: StreamName?
    /// A publish hands this list to the driver as it is.
    var live: ContiguousArray<SubscriptionID> = []
    /// Subscriptions that need a check for each message: collecting, behind, or ahead of this hub.
    var waiting: ContiguousArray<SubscriptionID> = []
    /// The newest ledger position published on it.
    var position: Int64 = 0

    var isEmpty: Bool { live.isEmpty && waiting.isEmpty }

    subscript(isLive isLive: Bool) -> ContiguousArray<SubscriptionID> {
        _read { if isLive { yield live } else { yield waiting } }
        _modify { if isLive { yield &live } else { yield &waiting } }
    }
}
