internal import Encoding
internal import HTTPClient

/// Interprets an answer from Google (https://cloud.google.com/apis/design/errors): a body, nothing, or an error.
struct GoogleAnswer {
    private let status: Int
    private let body: [UInt8]

    init(_ response: HTTPClient.Response) {
        status = response.status
        body = response.body
    }

    /// Returns nil for a purchase that Google does not know, or no longer knows. An unknown package is a mistake in our
    /// settings and throws, so that it loses no purchase.
    func result() throws(StoreAPIError) -> [UInt8]? {
        switch status {
        case 200...299: return body
        case 400 where isAboutToken, 404 where isAboutToken, 410: return nil
        case 404 where reason == "applicationNotFound":
            throw .unauthorized(
                reason: "the service account has no access to this app: invite the account in the Play Console (404)"
            )
        case 403 where reason.map(GoogleAnswer.quotas.contains) == true:
            throw .unavailable(reason: "its quota of calls is used up (403)")
        case 401, 403:
            throw .unauthorized(
                reason:
                    "the service account needs \u{201C}View financial data\u{201D} and \u{201C}Manage orders\u{201D} "
                    + "in the Play Console; new rights take a day (\(status)\(reason.map { " \($0)" } ?? ""))"
            )
        // Two calls about one purchase conflicted, or there were too many: a retry may succeed.
        // A 404 that names no token concerns the URL, not the purchase.
        case 404, 408, 409, 412, 425, 429, 500...599: throw .unavailable(reason: "it answered \(status)")
        default: throw .refused(status: status, code: reason, reason: "a call about a purchase failed")
        }
    }

    /// Reasons for a 403 that is not about permissions: https://developers.google.com/webmaster-tools/v1/errors
    private static let quotas: Set<String> = [
        "quotaExceeded", "dailyLimitExceeded", "rateLimitExceeded", "userRateLimitExceeded",
    ]

    /// Google's reason, such as `alreadyAcknowledged`; letters only.
    private var reason: String? {
        guard let word = failure?["reason"]?.text, word.utf8.count <= 40,
            word.utf8.allSatisfy({ (65...90).contains($0) || (97...122).contains($0) })
        else { return nil }
        return word
    }

    /// `purchaseTokenNotFound` or `purchaseTokenDoesNotMatchPackageName`; for a made-up token just `invalid`.
    private var isAboutToken: Bool {
        guard let reason else { return false }
        if reason.hasPrefix("purchaseToken") { return true }
        // The parameter that the error is about.
        let place = failure?["location"]?.text
        return reason == "invalid" && (place ?? "token") == "token" || reason == "notFound" && place == "token"
    }

    private var failure: JSONNode? {
        guard case .array(let errors)? = JSONNode(body)?["error"]?["errors"] else { return nil }
        return errors.first
    }
}
