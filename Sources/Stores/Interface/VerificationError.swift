/// Why a delivery is not trusted, or not for us. Safe to log and to answer: it contains nothing of the delivery.
public enum VerificationError: Error, Equatable, Sendable, CaseIterable {
    /// It does not have the right format. A retry changes nothing.
    case malformed(Malformation)
    /// It has the right format, but nobody whom we trust vouches for it. A retry changes nothing.
    case untrusted(Distrust)
    /// Genuine, but for an app that is not configured here. The store has to retry while the operator checks that.
    case wrongApp
    /// Genuine, but from an environment that is not served here.
    case wrongEnvironment
    /// No app is configured for this store.
    case notConfigured
    /// Interpreting the delivery needs the store's API, which told nothing. The store delivers again.
    case storeUnreachable(Silence)

    public enum Malformation: String, CaseIterable, Sendable {
        case invalidJSON = "invalid_json"
        case duplicateMember = "duplicate_member"
        case missingSignature = "missing_signature"
        case missingSignedPayload = "missing_signed_payload"
        case versionOne = "v1_notification"
        case invalidJWS = "invalid_jws"
        case unsupportedAlgorithm = "unsupported_algorithm"
        case unsupportedHeader = "unsupported_header"
        case invalidCertificates = "invalid_certificates"
        case invalidPayload = "invalid_payload"
        case invalidReceipt = "invalid_receipt"
        case thinEvent = "thin_event"
        case missingPackage = "missing_package"
    }

    public enum Distrust: String, CaseIterable, Sendable {
        case untrustedChain = "untrusted_chain"
        case badSignature = "bad_signature"
        case unauthorized = "unauthorized"
        case signedInPast = "signed_in_past"
        case outsideValidity = "outside_validity"
        case signedInFuture = "signed_in_future"
        case mismatchedTransaction = "mismatched_transaction"
        case mismatchedRenewal = "mismatched_renewal"
        case unknownPurchase = "unknown_purchase"
    }

    /// Why a store's API told nothing that helps.
    public enum Silence: String, CaseIterable, Sendable {
        case noAnswer = "does not answer"
        case refusedKey = "does not accept this server's key"
        case refusedQuestion = "refuses the question"
        case unreadable = "gives an answer that cannot be used"
        case notYetKnown = "does not know this new purchase yet"
    }

    /// One of each `code`.
    public static var allCases: [VerificationError] {
        Malformation.allCases.map { .malformed($0) } + Distrust.allCases.map { .untrusted($0) }
            + [.wrongApp, .wrongEnvironment, .notConfigured, .storeUnreachable(.noAnswer)]
    }

    /// True when the store should deliver again (HTTP 503); false when the delivery itself is at fault (400).
    public var isRetryable: Bool {
        switch self {
        case .malformed, .untrusted: false
        case .wrongApp, .wrongEnvironment, .notConfigured, .storeUnreachable: true
        }
    }

    /// The `error` member of the answer.
    public var code: String {
        switch self {
        case .malformed(let malformation): malformation.rawValue
        case .untrusted(let distrust): distrust.rawValue
        case .wrongApp: "wrong_app"
        case .wrongEnvironment: "wrong_environment"
        case .notConfigured: "not_configured"
        case .storeUnreachable: "store_unreachable"
        }
    }

    /// The `message` member of the answer: one sentence.
    public var message: String {
        switch self {
        case .malformed(let malformation): malformation.message
        case .untrusted(let distrust): distrust.message
        case .wrongApp: "It is genuine, but for an app that is not configured here."
        case .wrongEnvironment: "It is genuine, but its environment is not served here."
        case .notConfigured: "No app of this store is configured on this server."
        case .storeUnreachable(let silence):
            "The store's API \(silence.rawValue); nothing was stored, so deliver it again."
        }
    }
}

extension VerificationError.Malformation {
    var message: String {
        switch self {
        case .invalidJSON: "The body is not a JSON object."
        case .duplicateMember: "The JSON has two members with the same name."
        case .missingSignature: "The delivery carries no signature."
        case .missingSignedPayload: "The body has no signedPayload."
        case .versionOne: "Version 1 notifications are not signed; choose version 2 in App Store Connect."
        case .invalidJWS: "The signed text is not a compact JWS of three base64url parts."
        case .unsupportedAlgorithm: "The JWS is not signed with ES256."
        case .unsupportedHeader: "The JWS header has a crit or b64 member."
        case .invalidCertificates: "The JWS header does not hold exactly three readable certificates."
        case .invalidPayload: "The signed payload does not have the documented members."
        case .invalidReceipt: "The receipt is not a signed App Store receipt with its documented attributes."
        case .missingPackage: "Several packages are configured here; name the one that sold the purchase in package."
        case .thinEvent: "Thin events do not say what changed; choose the snapshot payload style for this endpoint."
        }
    }
}

extension VerificationError.Distrust {
    var message: String {
        switch self {
        case .untrustedChain: "The certificates do not lead to a trusted root in the way that Apple's do."
        case .badSignature: "The signature does not match the payload."
        case .unauthorized: "The Authorization header is missing or not the configured sender's."
        case .signedInPast: "The payload was signed too long ago to be fresh; check this server's clock."
        case .outsideValidity: "The payload was not signed while its certificates were valid."
        case .signedInFuture: "The payload claims to be signed in the future; check this server's clock."
        case .mismatchedTransaction: "The transaction does not belong to the notification that carries it."
        case .mismatchedRenewal: "The renewal info does not belong to the transaction beside it."
        case .unknownPurchase: "The store does not know this purchase, or no longer does."
        }
    }
}
