internal import Domain

/// To whom errands are carried now: to each destination one after the other, and to several at once. Pure.
struct ErrandLanes {
    /// What the ledger does not remember would be done again every second.
    private static let rest = Duration.seconds(10)

    private var busy: Set<Errand.Destination> = []
    private var resting: [Errand.Destination: Instant] = [:]

    /// Those of `due` that nobody carries to yet; from now on somebody does.
    mutating func begin(_ due: [Errand.Destination], now: Instant) -> [Errand.Destination] {
        // A clock that was set back must not make the rest longer.
        resting = resting.filter { _, end in now < end && end <= now + ErrandLanes.rest }
        return due.filter { resting[$0] == nil && busy.insert($0).inserted }
    }

    /// `isCommitted`: the ledger has taken what became of them.
    mutating func end(_ destination: Errand.Destination, isCommitted: Bool, now: Instant) {
        busy.remove(destination)
        if !isCommitted { resting[destination] = now + ErrandLanes.rest }
    }
}
