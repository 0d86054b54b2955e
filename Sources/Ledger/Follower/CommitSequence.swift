import Domain

/// Puts what this node commits and what it reads of other nodes' commits into one order without holes: that of their
/// positions. Each entry comes out once.
struct CommitSequence {
    /// How many own entries are kept for a gap to be filled. Beyond it, they are read like the others.
    private static let limit = 10_000

    /// Everything up to here has come out.
    private(set) var position: Int64
    /// Own commits after a gap, in order.
    private var waiting: [Entry] = []

    init(after position: Int64) { self.position = position }

    /// True while another node has committed something before what waits here.
    var hasGap: Bool { !waiting.isEmpty }

    /// Takes what this node has committed, and returns what comes out. Batches arrive in order.
    mutating func committed(_ entries: [Entry]) -> [Entry] {
        waiting += entries.drop { $0.position <= position }
        if waiting.count > CommitSequence.limit { waiting = [] }
        return next()
    }

    /// Takes what the log holds after `position`, without holes.
    mutating func read(_ entries: [Entry]) -> [Entry] {
        let new = Array(entries.drop { $0.position <= position })
        position = new.last?.position ?? position
        return new + next()
    }

    private mutating func next() -> [Entry] {
        waiting.removeFirst(waiting.prefix { $0.position <= position }.count)
        var last = position
        let ready = waiting.prefix { entry in
            guard entry.position == last + 1 else { return false }
            last = entry.position
            return true
        }
        position = last
        let entries = Array(ready)
        waiting.removeFirst(entries.count)
        return entries
    }
}
