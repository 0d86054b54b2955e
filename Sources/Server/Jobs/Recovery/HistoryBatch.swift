internal import Stores

/// Decides what happens to the entries of a list that are refused or cannot be read. Pure.
struct HistoryBatch {
    private(set) var tally = HistorySettingsCheck()
    private(set) var unread = UnreadEntries()

    mutating func read() {
        tally.proved()
        unread.read()
    }

    /// Returns true for an entry that is refused. `hint` says what to do about the error; nil if no setting cures it.
    mutating func failed(_ error: HistoryError, hint: String?) throws(StoreAPIError) -> Bool {
        switch error {
        case .refused(let error):
            tally.refused(error, hint: hint)
            return true
        case .unread(let error): return try unread.failed(error)
        }
    }

    /// True if everything was read, as far as the settings are concerned: the checkpoint may then follow.
    var isSound: Bool { unread.failure == nil && tally.problem == nil }
}

/// Decides what happens to entries whose meaning the store does not tell. Pure.
struct UnreadEntries {
    /// If this many in a row cannot be read, the cause is the store, not the entry.
    static let patience = 3

    /// The reason why the run has to be repeated.
    private(set) var failure: StoreAPIError?
    private var row = 0

    mutating func read() {
        row = 0
    }

    /// Returns true for an entry that can never be read, which is skipped. An entry that may be readable later does not
    /// hold up others, but the next run begins before it. Throws if no entry can be read.
    mutating func failed(_ error: StoreAPIError) throws(StoreAPIError) -> Bool {
        guard error.concernsTheWholeStore else { return true }
        failure = failure ?? error
        row += 1
        if case .unauthorized = error { throw error }
        guard row < UnreadEntries.patience else { throw error }
        return false
    }
}
