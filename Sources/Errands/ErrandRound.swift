internal import Domain
internal import Ledger
internal import StoreInterface

/// One destination's errands in a row. A store that has just not answered for an app is left alone for the rest of the
/// round, so that one that is down costs one timeout, not one for each errand. Pure.
struct ErrandRound {
    private var resting: [String: StoreAPIError] = [:]

    /// Why this one need not be tried now.
    func obstacle(to queued: QueuedErrand) -> StoreAPIError? {
        resting[queued.errand.rest]
    }

    mutating func failed(_ queued: QueuedErrand, _ error: StoreAPIError) {
        if error.concernsTheWholeStore { resting[queued.errand.rest] = error }
    }
}

extension Errand {
    /// What a failure says something of, at one destination: a store may refuse one app's key and take another's.
    fileprivate var rest: String { kind == .forward ? "" : app }
}
