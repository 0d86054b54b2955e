internal import APIModel
internal import Domain
internal import HTTPMessages
internal import LedgerInterface

extension Response {
    /// The answer to a store, or to an app, after the commit.
    static func committed(_ receipt: CommitResult) -> Response {
        JSON.response(200, body: CommitAnswer(receipt))
    }

    /// The purchase is committed, but does not help the user who posted it.
    static func ownedByOther(_ receipt: CommitResult) -> Response {
        .error(
            409,
            code: "owned_by_other",
            message:
                "The purchase is genuine and stays another user's; see PAYCAST_TRANSFERS. It is event \(receipt.event)."
        )
    }

    static var uncommitted: Response {
        .unavailable("ledger_unavailable", message: "The ledger could not commit it; nothing was stored.")
    }

    static var unreadable: Response {
        .unavailable("ledger_unavailable", message: "The ledger could not be read; try again.")
    }
}

extension Reply {
    /// Answers with what was read, or that the ledger could not be read.
    func send<Value>(_ result: Result<Value, LedgerError>, answer: (Value) -> Response) {
        switch result {
        case .success(let value): send(answer(value))
        case .failure: send(.unreadable)
        }
    }
}

extension CommitAnswer {
    init(_ result: CommitResult) {
        self.init(
            outcome: result.outcome,
            event: result.event,
            cursor: result.cursor,
            claim: result.claim?.word
        )
    }
}

extension ClaimOutcome {
    /// The word for it in answers.
    fileprivate var word: String {
        switch self {
        case .granted: "granted"
        case .moved: "moved"
        case .shared: "shared"
        case .refused: "refused"
        }
    }
}
