import Domain
import Encoding
import HTTPClient

/// What an answer from Apple means that is not a success
/// (https://developer.apple.com/documentation/appstoreserverapi/error-codes).
extension StoreAPIError {
    static func ofApple(_ response: HTTPClient.Response, in place: StoreEnvironment, now: Instant) -> StoreAPIError {
        let answer = JSONNode(response.body)
        let code = answer?["errorCode"]?.integer.map { String($0) }
        let comeback = comeback(response.header("Retry-After"), now: now)
        switch (response.status, code) {
        case (429, _): return .unavailable(reason: "too many requests this hour", after: comeback)
        case (401, _), (403, _):
            let settings = "check PAYCAST_APPLE_API_KEY, …_KEY_ID, …_ISSUER_ID, the bundle id and this server's clock"
            let unreleased = "; Production also answers this until the app's first release"
            return .unauthorized(reason: place == .sandbox ? settings : settings + unreleased)
        case (408, _), (500..., _), (_, "4040002"), (_, "4040004"), (_, "4040006"), (_, "5000001"):
            let name = code.map { " (\($0))" } ?? ""
            return .unavailable(reason: "it answered \(response.status)\(name)", after: comeback)
        case (300..<400, _): return .unreadable(reason: "it redirects; check PAYCAST_APPLE_API_URL")
        default:
            let message = answer?["errorMessage"]?.text.flatMap { isValidIdentifier($0, limit: 200) ? $0 : nil }
            let reason = code.flatMap { reasons[$0] } ?? message ?? "no reason given"
            return .refused(status: response.status, code: code, reason: reason)
        }
    }

    private static let reasons = [
        "4000006": "the transaction id is invalid",
        "4000008": "the original transaction id is invalid",
        "4000012": "the start date is too far back",
        "4000013": "the start date is after the end date",
        "4000014": "the pagination token is invalid",
        "4000017": "the pagination token has expired",
        "4000183": "the account token is not a UUID",
        "4000185": "a family-shared purchase takes no account token",
        "4000187": "the account token needs the original transaction's id",
        "4040001": "no such account; does it belong to the other environment?",
        "4040003": "no such app; check PAYCAST_APPLE_BUNDLE_ID",
        "4040005": "no such original transaction; does it belong to the other environment?",
        "4040007": "no URL for notifications is set in App Store Connect for this environment",
        "4040008": "the test notification is unknown or too old",
        "4040010": "no such transaction; does it belong to the other environment?",
    ]

    /// Apple knows no such transaction in the requested environment.
    var isUnknownTransaction: Bool {
        guard case .refused(404, let code?, _) = self else { return false }
        return ["4040001", "4040005", "4040010"].contains(code)
    }

    /// Apple has no purchase with this id, or says that the text cannot be an id. Its other refusals say nothing about a purchase.
    var isUnknownPurchase: Bool {
        guard case .refused(_, let code?, _) = self else { return false }
        return isUnknownTransaction || ["4000006", "4000008"].contains(code)
    }

    /// Apple does not keep notifications for that long, or the page token is invalid or expired.
    var remedy: HistoryRemedy? {
        switch self {
        case .refused(_, "4000012"?, _): .laterPiece
        case .refused(_, "4000014"?, _), .refused(_, "4000017"?, _): .firstPage
        default: nil
        }
    }

    var isUnauthorized: Bool {
        if case .unauthorized = self { true } else { false }
    }
}
