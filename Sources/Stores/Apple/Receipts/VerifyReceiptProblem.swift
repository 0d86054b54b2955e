/// Why a stored answer of `verifyReceipt` says nothing about a purchase, and what to do.
public enum VerifyReceiptProblem: Error, Equatable, Sendable {
    /// The answer is not for us, or not readable.
    case refused(VerificationError)
    /// Neither the answer nor the request names an environment.
    case unknownEnvironment
    /// A status other than 0.
    case status(Int64, isRetryable: Bool)

    /// Follows the table in https://developer.apple.com/documentation/appstorereceipts/status; 21006 counts like 0.
    public init?(status: Int64, isRetryable: Bool?) {
        switch status {
        case 0, 21_006: return nil
        // 21002 also stands for an outage, like the internal errors.
        case 21_002, 21_100...21_199: self = .status(status, isRetryable: isRetryable ?? true)
        case 21_005, 21_009: self = .status(status, isRetryable: true)
        default: self = .status(status, isRetryable: false)
        }
    }

    public var isRetryable: Bool {
        switch self {
        case .refused(let error): error.isRetryable
        case .unknownEnvironment: false
        case .status(_, let isRetryable): isRetryable
        }
    }

    /// The `error` member of the answer.
    public var code: String {
        switch self {
        case .refused(let error): error.code
        case .unknownEnvironment: "unknown_environment"
        case .status(let status, _): VerifyReceiptProblem.row(status).code
        }
    }

    /// The `message` member of the answer.
    public var message: String {
        switch self {
        case .refused(let error): error.message
        case .unknownEnvironment:
            "The answer names no environment: add \"environment\":\"Production\" or \"Sandbox\", whichever was asked."
        case .status(let status, let isRetryable):
            "Status \(status): \(VerifyReceiptProblem.row(status).message)"
                + (isRetryable ? " Ask Apple again, or post the receipt itself." : "")
        }
    }

    private static func row(_ status: Int64) -> (code: String, message: String) {
        switch status {
        case 21_000: ("not_posted", "Apple was not asked with POST; post the receipt itself as \"receipt\".")
        case 21_002: ("malformed_receipt", "Apple could not read the receipt, or had an outage.")
        case 21_003: ("unauthenticated_receipt", "Apple did not issue the receipt; nothing was bought with it.")
        case 21_004: ("wrong_shared_secret", "The shared secret was not the app's; post the receipt itself.")
        case 21_005: ("apple_unavailable", "Apple's server was not available.")
        case 21_007: ("sandbox_receipt", "Production was asked about a Sandbox receipt; ask Sandbox.")
        case 21_008:
            ("production_receipt", "Sandbox was asked about a Production receipt; ask Production.")
        case 21_009, 21_100...21_199: ("apple_internal_error", "Apple could not read its own data.")
        case 21_010: ("account_not_found", "The buyer's account is gone; treat it as never bought.")
        default: ("unknown_status", "Apple documents no such status; post the receipt itself.")
        }
    }
}
