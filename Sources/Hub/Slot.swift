/// One place in the slab of subscriptions.
struct Slot {
    enum Phase {
        case free
        /// More of what its page missed is to be read than one answer holds: nothing is collected, it will all be read.
        case paused
        /// What its page missed is being read elsewhere.
        case collecting
        case following
    }

    var generation: UInt32 = 0
    var phase = Phase.free
    /// In its stream's `live` list, else in `waiting`.
    var isLive = false
    /// The kernel took the last write only in part.
    var isBlocked = false
    /// The index of its stream.
    var stream: UInt32 = 0
    /// The place in the list that `isLive` names.
    var place: UInt32 = 0
    /// How far what its page missed was read: entries up to here that are still on their way to this hub are not for
    /// it.
    var through: Int64 = 0
    var backlog = Backlog()

    /// Whether a message may be written past the queue.
    var isCaughtUp: Bool { phase == .following && !isBlocked && backlog.isEmpty }

    func hasRead(_ position: Int64) -> Bool { phase == .following && position <= through }
}
