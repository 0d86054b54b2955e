internal import Domain
internal import Observability
internal import StoreInterface

/// Decides what happens to entries whose purchases cannot be read. Pure.
struct VoidBatch {
    /// How many failures in a row end the run.
    let patience: Int
    /// Why the run has to be repeated.
    private(set) var failure: StoreAPIError?
    private var row = 0

    init(patience: Int) {
        self.patience = patience
    }

    mutating func read() {
        row = 0
    }

    /// Returns true for an entry that can never be read, which is skipped. An entry that may be readable later holds up
    /// no other, but the next run begins before it. Throws when no purchase can be read.
    mutating func failed(_ error: StoreAPIError) throws(StoreAPIError) -> Bool {
        guard error.concernsTheWholeStore else { return true }
        failure = failure ?? error
        row += 1
        if case .unauthorized = error { throw error }
        guard row < patience else { throw error }
        return false
    }
}

/// The trouble with a list that cannot be read. It is logged once, and shown for as long as the key is refused. Pure.
struct ListTrouble {
    private var incident = Incident()
    private var refusal: String?

    /// `error` is nil after a success; `now` is in monotonic nanoseconds.
    mutating func take(_ error: StoreAPIError?, now: UInt64) -> Incident.News? {
        guard let error else {
            refusal = nil
            return incident.recordSuccess(now: now)
        }
        // Failing to reach Google says nothing about the key.
        if case .unauthorized(let reason) = error { refusal = reason }
        return incident.recordFailure(error.description, now: now)
    }

    func problem(of package: String) -> String? {
        refusal.map { "Google refuses the list of voided purchases of \(package): \($0)" }
    }
}
