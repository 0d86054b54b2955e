internal import Domain
internal import StoreInterface

/// What this server's settings make of one history, which is of one app in one environment. Pure.
///
/// One genuine entry shows that they are right, and that what they refuse beside it is odd. When they refuse whatever
/// they meet they are wrong, and nothing is passed that is genuine once they are corrected.
struct HistoryTally {
    /// So many refusals and nothing genuine are enough. What follows is read when the settings are right, and an hourly
    /// run that can believe nothing costs 50 pages, however long it goes on.
    static let patience = 1000

    /// By the error's code.
    private(set) var refusals: [String: Int] = [:]
    /// How many of them other settings could cure.
    private(set) var misfits = 0
    private var firstMisfit: VerificationError?
    private var isProven = false

    mutating func proved() {
        isProven = true
    }

    mutating func refused(_ error: VerificationError) {
        refusals[error.code, default: 0] += 1
        guard error.suspects != nil else { return }
        misfits += 1
        firstMisfit = firstMisfit ?? error
    }

    /// The settings are wrong, as far as is known.
    var isMisfit: Bool { firstMisfit != nil && !isProven }

    var isHopeless: Bool { isMisfit && misfits >= HistoryTally.patience }

    /// For an operator; nil when nothing is wrong with the settings.
    func problem(of place: Recovery.Place) -> String? {
        guard isMisfit, let error = firstMisfit, let suspects = error.suspects else { return nil }
        return """
            \(place.environment.rawValue), \(place.app): all that Apple's history holds is refused as \(error.code); \
            check \(suspects), and start again: Apple keeps it for \(place.days) days
            """
    }
}

extension VerificationError {
    /// What is wrong when Apple's own answer is refused so; nil when no setting cures it.
    fileprivate var suspects: String? {
        switch self {
        case .wrongApp: "PAYCAST_APPLE_APP_ID and PAYCAST_APPLE_BUNDLE_ID"
        case .wrongEnvironment: "PAYCAST_APPLE_ENVIRONMENTS and PAYCAST_APPLE_API_URL"
        case .notConfigured: "PAYCAST_APPLE_BUNDLE_ID"
        // It came over TLS: whoever is not trusted here is Apple.
        case .untrusted: "PAYCAST_APPLE_ROOTS and this machine's clock"
        case .malformed, .storeUnreachable: nil
        }
    }
}
