internal import Domain
internal import Ledger
internal import StoreInterface

/// One pass over a destination's errands. A store that has just failed to answer for an app is left alone for the rest
/// of the round, so a store that is down costs one timeout, not one for each errand. Pure.
struct ErrandRound {
    private var resting: [String: StoreAPIError] = [:]

    /// Why this errand need not be tried now; nil when nothing speaks against it.
    func obstacle(to queued: QueuedErrand) -> StoreAPIError? {
        resting[queued.errand.rest]
    }

    mutating func failed(_ queued: QueuedErrand, _ error: StoreAPIError) {
        if error.concernsTheWholeStore { resting[queued.errand.rest] = error }
    }
}

extension Errand {
    /// The scope of a failure at one destination: a store may refuse one app's key and accept another's.
    fileprivate var rest: String { kind == .forward ? "" : app }
}
