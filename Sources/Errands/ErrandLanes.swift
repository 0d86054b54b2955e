internal import Domain

/// The destinations that are being served: one errand at a time for each, and several destinations at once. Pure.
struct ErrandLanes {
    /// Without a rest, an errand whose result the ledger does not take would be repeated every second.
    private static let rest = Duration.seconds(10)

    private var busy: Set<Errand.Destination> = []
    private var resting: [Errand.Destination: Instant] = [:]

    /// The destinations of `due` that no thread serves yet. From now on they are busy.
    mutating func begin(_ due: [Errand.Destination], now: Instant) -> [Errand.Destination] {
        // A clock that was set back must not make the rest longer.
        resting = resting.filter { _, end in now < end && end <= now + ErrandLanes.rest }
        return due.filter { resting[$0] == nil && busy.insert($0).inserted }
    }

    /// `isCommitted` is true when the ledger has taken the results.
    mutating func end(_ destination: Errand.Destination, isCommitted: Bool, now: Instant) {
        busy.remove(destination)
        if !isCommitted { resting[destination] = now + ErrandLanes.rest }
    }
}
