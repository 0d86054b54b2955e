import Stores
import Support

/// Judges this server's settings by one list of a store's history. Pure.
///
/// One genuine entry shows that the settings are right, and that the entries refused beside it are odd. Settings that
/// refuse every entry are wrong. The checkpoint then stays where it is, so that entries that prove genuine under the
/// right settings are not skipped.
struct HistorySettingsCheck {
    /// This many refusals without a genuine entry are enough. The rest is read once the settings are right; until then
    /// an hourly run costs only 50 pages, however long the history is.
    static let patience = 1000

    /// The number of refused entries, by the error's code.
    private(set) var refusals: [String: Int] = [:]
    /// The number of refusals that other settings could cure.
    private(set) var misconfigured = 0
    private var firstHint: String?
    private var isProven = false

    mutating func proved() {
        isProven = true
    }

    /// `hint` says what to do about the error; nil if no setting cures it.
    mutating func refused(_ error: VerificationError, hint: String?) {
        refusals[error.code, default: 0] += 1
        guard let hint else { return }
        misconfigured += 1
        firstHint = firstHint ?? hint
    }

    /// For an operator; nil if nothing is known to be wrong with the settings.
    var problem: String? { isProven ? nil : firstHint }

    var isHopeless: Bool { problem != nil && misconfigured >= HistorySettingsCheck.patience }
}

/// The problem with one list. Pure.
struct HistoryTrouble {
    private var incident = Incident()
    /// The operator's next step before the list can be requested.
    private var refusal: String?
    /// The operator's next step before its entries are accepted.
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
