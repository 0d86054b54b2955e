internal import Domain
internal import Gateway
internal import Ledger
internal import StoreInterface

extension Response {
    /// The answer to a store, or to an app, after the commit.
    static func committed(_ receipt: CommitResult) -> Response {
        JSON.response(
            200,
            Committed(
                outcome: receipt.outcome.rawValue,
                event: receipt.event,
                cursor: receipt.cursor.description,
                claim: receipt.claim?.word
            )
        )
    }

    /// The purchase is committed, but does not help the user who posted it.
    static func ownedByOther(_ receipt: CommitResult) -> Response {
        .error(
            409,
            "owned_by_other",
            "The purchase is genuine and stays another user's; see PAYCAST_TRANSFERS. It is event \(receipt.event)."
        )
    }

    /// Why a delivery is rejected. 503 asks for another delivery while an operator investigates: in the past, Apple
    /// stopped retrying after a 400.
    static func refused(_ error: VerificationError, status: Int = 400) -> Response {
        if error == .storeUnreachable { return .unavailable(error.code, error.message, retryAfter: 30) }
        if error.isRetryable { return .unavailable(error.code, error.message, retryAfter: 3600) }
        return .error(status, error.code, error.message)
    }

    static var uncommitted: Response {
        .unavailable("ledger_unavailable", "The ledger could not commit it; nothing was stored.")
    }

    private struct Committed: Encodable {
        var outcome: String
        var event: String
        var cursor: String
        /// Set if someone claimed the purchase.
        var claim: String?
    }
}

extension ClaimOutcome {
    /// The word for it in answers.
    var word: String {
        switch self {
        case .granted: "granted"
        case .moved: "moved"
        case .shared: "shared"
        case .refused: "refused"
        }
    }
}
