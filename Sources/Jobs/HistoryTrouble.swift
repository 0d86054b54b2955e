internal import Observability
internal import StoreInterface

/// The trouble with one list. Pure.
struct HistoryTrouble {
    private var incident = Incident()
    /// What an operator has to do so that the list can be requested.
    private var refusal: String?
    /// What an operator has to do so that its entries are accepted.
    var misconfiguration: String?

    /// `error` is nil after a success, and `hint` says what to do about it; `now` is in monotonic nanoseconds.
    mutating func take(_ error: StoreAPIError?, hint: String?, now: UInt64) -> Incident.News? {
        guard let error else {
            refusal = nil
            return incident.recordSuccess(now: now)
        }
        if let hint { refusal = hint }
        return incident.recordFailure(error.description, now: now)
    }

    /// For `/ready`.
    var problems: [String] { [misconfiguration, refusal].compactMap(\.self) }
}
