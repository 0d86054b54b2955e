internal import Foundation

/// What the server said to a posted transaction, as far as it decides what happens next.
enum PostAnswer: Equatable, Sendable {
    /// 200: it is in the ledger.
    case committed(Commit)
    /// 409: it is in the ledger, and another user's.
    case ownedByOther
    /// 400: not genuine, or not what the route takes.
    case refused(code: String)
    /// 401, 403: the stream does not count, or none was sent.
    case unauthorized(code: String)
    /// Everything else: the same request may succeed later.
    case later(Delay)
    /// No answer at all.
    case unreachable

    struct Delay: Equatable, Sendable {
        /// `Retry-After`.
        var seconds: TimeInterval?
        /// False if the answer is about this transaction only: others may go on.
        var isWholeServer: Bool
        /// The status of an answer that is not Paycast's.
        var unexpected: Int?
    }
}

/// The body of a 200.
struct Commit: Decodable, Equatable, Sendable {
    /// `applied`, `duplicate`, `stale`, `ignored`, `unclaimed` or `quarantined`.
    var outcome: String
    var event: String
    /// Who has it now: `yours`, the user's whose stream posted it, `others` or `nobody`.
    var claim: String?

    /// What changes nothing belongs to the user all the same: the store's webhook came first, with this or with newer.
    var isGranted: Bool { claim == "yours" && ["applied", "duplicate", "stale", "ignored"].contains(outcome) }

    /// What whoever has tapped is told.
    func outcome(of transaction: SignedTransaction, for tap: Tap) -> PurchaseOutcome {
        if claim == "others" { return .ownedByOther }
        guard isGranted else { return .recorded(outcome: outcome) }
        if tap.isOwnedBefore { return tap.product == transaction.product ? .alreadyOwned : .changesAtRenewal }
        let isConsumable = transaction.productType == .consumable
        return .granted(Grant(product: transaction.product, outcome: outcome, isConsumable: isConsumable))
    }
}

extension PostAnswer {
    /// Only an answer in the server's own words counts: a captive portal answers 200 to everything, with a page.
    init(_ response: ServerResponse) {
        let code = response.errorCode
        switch (response.status, code) {
        case (200, _):
            let commit = response.decoded(as: Commit.self)
            self = commit.map { .committed($0) } ?? .later(Delay(isWholeServer: true, unexpected: 200))
        case (409, "owned_by_other"): self = .ownedByOther
        case (400, let code?): self = .refused(code: code)
        case (401, let code?), (403, let code?): self = .unauthorized(code: code)
        default:
            let isWholeServer = response.status != 422 && !PostAnswer.aboutOneTransaction.contains(code ?? "")
            let unexpected = response.isExpected ? nil : response.status
            self = .later(
                Delay(seconds: response.retryAfter, isWholeServer: isWholeServer, unexpected: unexpected)
            )
        }
    }

    /// Answers of 503 that say nothing about the next transaction.
    private static let aboutOneTransaction: Set = ["wrong_app", "wrong_environment"]
}
