internal import Domain
internal import Ledger
internal import Stores

/// The destinations that are being served: one job at a time for each, and several destinations at once. Pure.
struct JobLanes {
    /// Without a pause, a job whose result the ledger does not accept would be repeated every second.
    private static let rest = Duration.seconds(10)

    private var busy: Set<Job.Destination> = []
    private var resting: [Job.Destination: Instant] = [:]

    /// The destinations of `due` that no thread serves yet. From now on they are busy.
    mutating func begin(_ due: [Job.Destination], now: Instant) -> [Job.Destination] {
        // A clock that was set back must not make the pause longer.
        resting = resting.filter { _, end in now < end && end <= now + JobLanes.rest }
        return due.filter { resting[$0] == nil && busy.insert($0).inserted }
    }

    /// `isCommitted` is true if the ledger has accepted the results.
    mutating func end(_ destination: Job.Destination, isCommitted: Bool, now: Instant) {
        busy.remove(destination)
        if !isCommitted { resting[destination] = now + JobLanes.rest }
    }
}

/// One pass over a destination's jobs. A store that has just failed to answer for an app is left alone for the rest
/// of the round, so a store that is down costs one timeout, not one for each job. Pure.
struct JobRound {
    private var resting: [String: StoreAPIError] = [:]

    /// The error for which this job has to wait; nil if it may be tried now.
    func obstacle(to queued: QueuedJob) -> StoreAPIError? {
        resting[queued.job.rest]
    }

    mutating func failed(_ queued: QueuedJob, error: StoreAPIError) {
        if error.concernsTheWholeStore { resting[queued.job.rest] = error }
    }
}

extension Job {
    /// The scope of a failure at one destination: a store may refuse one app's key and accept another's.
    fileprivate var rest: String { kind == .forward ? "" : app }
}
