internal import Domain
internal import Observability
internal import StoreInterface

/// What becomes of entries whose purchases cannot be read. Pure.
struct VoidBatch {
    /// So many in a row end the run.
    let patience: Int
    /// Why the run is to be repeated.
    private(set) var failure: StoreAPIError?
    private var row = 0

    init(patience: Int) {
        self.patience = patience
    }

    mutating func read() {
        row = 0
    }

    /// True for one that will never be read: it is passed. One that may be read later holds up no other, but the next run
    /// begins before it. Throws when nobody could be read.
    mutating func failed(_ error: StoreAPIError) throws(StoreAPIError) -> Bool {
        guard error.concernsTheWholeStore else { return true }
        failure = failure ?? error
        row += 1
        if case .unauthorized = error { throw error }
        guard row < patience else { throw error }
        return false
    }
}

/// That one list cannot be read: told once, and shown for as long as its key is refused. Pure.
struct ListTrouble {
    private var incident = Incident()
    private var refusal: String?

    /// Nil after a success. `now` is in monotonic nanoseconds.
    mutating func take(_ error: StoreAPIError?, now: UInt64) -> Incident.News? {
        guard let error else {
            refusal = nil
            return incident.isOver(now: now)
        }
        // That Google cannot be reached says nothing of the key.
        if case .unauthorized(let reason) = error { refusal = reason }
        return incident.met(error.description, now: now)
    }

    func problem(of package: String) -> String? {
        refusal.map { "Google refuses the list of voided purchases of \(package): \($0)" }
    }
}
