import Domain

/// The slab of subscriptions, the streams they belong to, and the lists between the two.
struct SubscriptionTable {
    var streams: ContiguousArray<Stream> = []
    var slots: ContiguousArray<SubscriptionSlot> = []
    private var names: [StreamName: UInt32] = [:]
    private var freeStreams: ContiguousArray<UInt32> = []
    private var freeSlots: ContiguousArray<UInt32> = []

    var streamCount: Int { names.count }
    var count: Int { slots.count - freeSlots.count }

    /// The index of a live id; nil for a stale one.
    func index(_ id: SubscriptionID) -> Int? {
        let index = Int(id.index)
        guard index < slots.count, slots[index].generation == id.generation, slots[index].phase != .free else {
            return nil
        }
        return index
    }

    func stream(_ name: StreamName) -> Int? { names[name].map(Int.init) }

    mutating func add(_ name: StreamName) -> SubscriptionID {
        let index = freeSlots.popLast() ?? UInt32(slots.count)
        if Int(index) == slots.count { slots.append(SubscriptionSlot()) }
        slots[Int(index)].phase = .catchingUp
        slots[Int(index)].stream = names[name] ?? addStream(name)
        join(Int(index), isLive: false)
        return SubscriptionID(index: index, generation: slots[Int(index)].generation)
    }

    mutating func remove(_ id: SubscriptionID) {
        guard let index = index(id) else { return }
        leave(index)
        let stream = slots[index].stream
        slots[index] = SubscriptionSlot(generation: id.generation &+ 1)
        freeSlots.append(id.index)
        if streams[Int(stream)].isEmpty { removeStream(stream) }
    }

    /// Moves a subscription to its stream's `live` or `waiting` list.
    mutating func place(_ index: Int, isLive: Bool) {
        guard slots[index].isLive != isLive else { return }
        leave(index)
        join(index, isLive: isLive)
    }

    private mutating func addStream(_ name: StreamName) -> UInt32 {
        let index = freeStreams.popLast() ?? UInt32(streams.count)
        if Int(index) == streams.count { streams.append(Stream()) }
        streams[Int(index)].name = name
        names[name] = index
        return index
    }

    private mutating func removeStream(_ index: UInt32) {
        if let name = streams[Int(index)].name { names[name] = nil }
        streams[Int(index)] = Stream()
        freeStreams.append(index)
    }

    private mutating func join(_ index: Int, isLive: Bool) {
        let stream = Int(slots[index].stream)
        slots[index].isLive = isLive
        slots[index].place = UInt32(streams[stream][isLive: isLive].count)
        streams[stream][isLive: isLive].append(
            SubscriptionID(index: UInt32(index), generation: slots[index].generation)
        )
    }

    private mutating func leave(_ index: Int) {
        let stream = Int(slots[index].stream)
        let isLive = slots[index].isLive
        let place = Int(slots[index].place)
        let last = streams[stream][isLive: isLive].removeLast()
        guard Int(last.index) != index else { return }
        streams[stream][isLive: isLive][place] = last
        slots[Int(last.index)].place = UInt32(place)
    }
}

/// A stream with at least one subscription.
struct Stream {
    /// Nil in a free place of the slab.
    var name: StreamName?
    /// A publish hands this list to the driver as it is.
    var live: ContiguousArray<SubscriptionID> = []
    /// Subscriptions that need a check for each message: catching up, behind, or ahead of this hub.
    var waiting: ContiguousArray<SubscriptionID> = []
    /// The newest ledger position published on it.
    var position: Int64 = 0

    var isEmpty: Bool { live.isEmpty && waiting.isEmpty }

    subscript(isLive isLive: Bool) -> ContiguousArray<SubscriptionID> {
        _read { if isLive { yield live } else { yield waiting } }
        _modify { if isLive { yield &live } else { yield &waiting } }
    }
}

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
}
