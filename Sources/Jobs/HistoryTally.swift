internal import Domain
internal import StoreInterface

/// Judges this server's settings by one history, which belongs to one app in one environment. Pure.
///
/// One genuine entry shows that the settings are right, and that the entries refused beside it are odd. Settings that
/// refuse every entry are wrong. The checkpoint then stays where it is, so that entries that prove genuine under the
/// right settings are not skipped.
struct HistoryTally {
    /// This many refusals without a genuine entry are enough. What follows is read once the settings are right; until
    /// then an hourly run costs only 50 pages, however long the history is.
    static let patience = 1000

    /// How many entries were refused, by the error's code.
    private(set) var refusals: [String: Int] = [:]
    /// How many of the refusals other settings could cure.
    private(set) var misconfigured = 0
    private var firstMisconfigured: VerificationError?
    private var isProven = false

    mutating func proved() {
        isProven = true
    }

    mutating func refused(_ error: VerificationError) {
        refusals[error.code, default: 0] += 1
        guard error.suspects != nil else { return }
        misconfigured += 1
        firstMisconfigured = firstMisconfigured ?? error
    }

    /// True when the settings are wrong, as far as is known.
    var isMisconfigured: Bool { firstMisconfigured != nil && !isProven }

    var isHopeless: Bool { isMisconfigured && misconfigured >= HistoryTally.patience }

    /// For an operator; nil when nothing is wrong with the settings.
    func problem(of history: Recovery.History) -> String? {
        guard isMisconfigured, let error = firstMisconfigured, let suspects = error.suspects else { return nil }
        return """
            \(history.environment.rawValue), \(history.app): all that Apple's history holds is refused as \(error.code); \
            check \(suspects), and start again: Apple keeps it for \(history.days) days
            """
    }
}

extension VerificationError {
    /// What to check when Apple's own answer is refused with this error; nil when no setting cures it.
    fileprivate var suspects: String? {
        switch self {
        case .wrongApp: "PAYCAST_APPLE_APP_ID and PAYCAST_APPLE_BUNDLE_ID"
        case .wrongEnvironment: "PAYCAST_APPLE_ENVIRONMENTS and PAYCAST_APPLE_API_URL"
        case .notConfigured: "PAYCAST_APPLE_BUNDLE_ID"
        // The answer came over TLS, so the signer that is not trusted is Apple.
        case .untrusted: "PAYCAST_APPLE_ROOTS and this machine's clock"
        case .malformed, .storeUnreachable: nil
        }
    }
}
