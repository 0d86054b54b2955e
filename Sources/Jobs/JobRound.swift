internal import Domain
internal import LedgerInterface
internal import StoreInterface

/// One pass over a destination's jobs. A store that has just failed to answer for an app is left alone for the rest
/// of the round, so a store that is down costs one timeout, not one for each job. Pure.
struct JobRound {
    private var resting: [String: StoreAPIError] = [:]

    /// Why this job need not be tried now; nil when nothing speaks against it.
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
