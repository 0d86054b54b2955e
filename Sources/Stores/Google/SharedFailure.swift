internal import Concurrency
internal import StoreInterface

/// Of calls that are made one after the other: when a store gives no answer, those that waited meanwhile get none either.
/// Each would take as long as the first, and eight threads that wait for a dead address took a minute.
struct SharedFailure {
    private var last: (error: StoreAPIError, endedAt: UInt64)?

    /// Throws what a call ended with that was under way when this caller `came`, in monotonic nanoseconds.
    func share(since came: UInt64) throws(StoreAPIError) {
        if let last, last.endedAt >= came { throw last.error }
    }

    /// A call has ended so. What concerns one purchase is shared with nobody.
    mutating func ended(with error: StoreAPIError) {
        if error.concernsTheWholeStore { last = (error, monotonicNanoseconds()) }
    }
}
