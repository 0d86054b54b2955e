internal import Concurrency
internal import StoreInterface

/// Lets calls that wait for each other fail together: when a store does not answer, those that waited fail too.
/// Otherwise each would take as long as the first, and eight threads that wait for a dead address would take a minute.
struct SharedFailure {
    private var last: (error: StoreAPIError, endedAt: UInt64)?

    /// Throws the error of a call that ended after this caller `came`, in monotonic nanoseconds.
    func share(since came: UInt64) throws(StoreAPIError) {
        if let last, last.endedAt >= came { throw last.error }
    }

    /// Records a failed call. An error that concerns one purchase is not shared.
    mutating func ended(with error: StoreAPIError) {
        if error.concernsTheWholeStore { last = (error, monotonicNanoseconds()) }
    }
}
