/// A timer wheel: one turn is `period` ticks, and an id is due once a turn until it is removed.
///
/// Serves heartbeats and pings (a random phase spreads them) and deadlines (remove the id when it is due or done).
/// Adding and removing cost the same with ten ids as with a hundred thousand; a tick costs according to what is due.
struct TimerWheel<ID: Sendable>: Sendable {
    /// Names one entry; stale once the entry is removed.
    struct Handle: Hashable, Sendable {
        let index: UInt32
        let generation: UInt32
    }

    private struct Entry: Sendable {
        var generation: UInt32 = 0
        var spoke: UInt32
        /// The place in the spoke; in a free entry, the index of the next free entry.
        var place: UInt32
        var isUsed = true
    }

    private struct Item: Sendable {
        let id: ID
        let entry: UInt32
    }

    private var spokes: ContiguousArray<ContiguousArray<Item>>
    private var entries: ContiguousArray<Entry> = []
    private var free: UInt32?
    private var now = 0
    private var phases = Phases()
    private(set) var count = 0

    /// `period` is the number of ticks in one turn, at least 1.
    init(period: Int) {
        spokes = ContiguousArray(repeating: [], count: max(1, period))
    }

    var period: Int { spokes.count }

    /// First due after a random 1…period ticks.
    mutating func add(_ id: ID) -> Handle {
        add(id, after: 1 + Int(truncatingIfNeeded: phases.next() % UInt64(period)))
    }

    /// First due after `ticks` (clamped to 1…period), then once each turn.
    mutating func add(_ id: ID, after ticks: Int) -> Handle {
        let spoke = (now + min(max(1, ticks), period)) % period
        let index = allocate(Entry(spoke: UInt32(spoke), place: UInt32(spokes[spoke].count)))
        spokes[spoke].append(Item(id: id, entry: index))
        count += 1
        return Handle(index: index, generation: entries[Int(index)].generation)
    }

    mutating func remove(_ handle: Handle) {
        let index = Int(handle.index)
        guard index < entries.count, entries[index].isUsed, entries[index].generation == handle.generation else {
            return
        }
        let (spoke, place) = (Int(entries[index].spoke), Int(entries[index].place))
        spokes[spoke].swapAt(place, spokes[spoke].count - 1)
        entries[Int(spokes[spoke][place].entry)].place = UInt32(place)
        spokes[spoke].removeLast()
        if spokes[spoke].isEmpty { spokes[spoke] = [] }
        entries[index].isUsed = false
        entries[index].generation &+= 1
        entries[index].place = free ?? .max
        free = handle.index
        count -= 1
    }

    /// Advances by one tick and returns what is due.
    mutating func tick() -> [ID] {
        now = (now + 1) % period
        return spokes[now].map { $0.id }
    }

    private mutating func allocate(_ entry: Entry) -> UInt32 {
        guard let index = free else {
            entries.append(entry)
            return UInt32(entries.count - 1)
        }
        let old = entries[Int(index)]
        free = old.place == .max ? nil : old.place
        entries[Int(index)] = entry
        entries[Int(index)].generation = old.generation
        return index
    }
}

/// Numbers that spread well (https://prng.di.unimi.it/splitmix64.c). The system's generator costs a system call each.
private struct Phases: Sendable {
    private var state = UInt64.random(in: .min ... .max)

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
