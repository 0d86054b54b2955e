internal import Domain

/// The destinations that are being served: one job at a time for each, and several destinations at once. Pure.
struct JobLanes {
    /// Without a rest, a job whose result the ledger does not take would be repeated every second.
    private static let rest = Duration.seconds(10)

    private var busy: Set<Job.Destination> = []
    private var resting: [Job.Destination: Instant] = [:]

    /// The destinations of `due` that no thread serves yet. From now on they are busy.
    mutating func begin(_ due: [Job.Destination], now: Instant) -> [Job.Destination] {
        // A clock that was set back must not make the rest longer.
        resting = resting.filter { _, end in now < end && end <= now + JobLanes.rest }
        return due.filter { resting[$0] == nil && busy.insert($0).inserted }
    }

    /// `isCommitted` is true when the ledger has taken the results.
    mutating func end(_ destination: Job.Destination, isCommitted: Bool, now: Instant) {
        busy.remove(destination)
        if !isCommitted { resting[destination] = now + JobLanes.rest }
    }
}
