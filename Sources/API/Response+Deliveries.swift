public import APIModel
import Domain
import Ledger
public import Pages
import Stores

extension Response {
    /// The answer to a store, or to an app, after the commit.
    static func committed(_ result: CommitResult) -> Response {
        Response(status: 200, headers: [("Content-Type", "application/json")], body: CommitAnswer(result).json)
    }

    /// The purchase is committed, but does not help the user who posted it.
    static func ownedByOther(_ result: CommitResult) -> Response {
        .error(
            409,
            code: "owned_by_other",
            message:
                "The purchase is genuine and stays another user's; see PAYCAST_TRANSFERS. It is event \(result.event)."
        )
    }

    static var uncommitted: Response {
        .unavailable("ledger_unavailable", message: "The ledger did not confirm the commit; send it again.")
    }

    /// Why an act was not committed: somebody else was faster, or the ledger did not confirm it.
    static func uncommitted(because error: LedgerError) -> Response {
        guard error == .changed else { return .uncommitted }
        return .error(
            409,
            code: "changed_since",
            message: "Something has happened to this user since then, so nothing was done: look, and decide again."
        )
    }

    static var unreadable: Response {
        .unavailable("ledger_unavailable", message: "The ledger could not be read; try again.")
    }
}

extension Reply {
    /// Says that too much is waiting, unless the work that leads to an answer was taken.
    func send(busyUnless isTaken: Bool) {
        if !isTaken { send(.busy) }
    }
}

extension Response {
    /// The reason for rejecting a delivery. 503 asks for another delivery while an operator investigates: in the past,
    /// Apple stopped retrying after a 400.
    static func refused(_ error: VerificationError, status: Int = 400) -> Response {
        if case .storeUnreachable = error {
            return .unavailable(error.code, message: error.message, retryAfter: 30)
        }
        if error.isRetryable { return .unavailable(error.code, message: error.message, retryAfter: 3600) }
        return .error(status, code: error.code, message: error.message)
    }

    /// 422 means that the request is fine, but that the store's answer, which the app kept, is not.
    static func refused(_ error: RefusedPurchase) -> Response {
        switch error {
        case .unproven(let error, _): .refused(error)
        case .unanswered(let trouble, let at):
            .unavailable(error.code, message: error.message, retryAfter: trouble.wait(at: at))
        case .unusable(let code, let message, true): .unavailable(code, message: message, retryAfter: 60)
        case .unusable(let code, let message, false): .error(422, code: code, message: message)
        }
    }
}

extension RefusedBody {
    /// A 401 names the scheme in which to come back (RFC 9110 §11.6.1).
    public var response: Response {
        .error(
            status,
            code: code,
            message: message,
            headers: status == 401 ? [("WWW-Authenticate", "Bearer")] : []
        )
    }
}

/// One JSON object with the members of both values.
struct Joined<First: Encodable, Second: Encodable>: Encodable {
    private let first: First
    private let second: Second

    init(_ first: First, _ second: Second) {
        self.first = first
        self.second = second
    }

    func encode(to encoder: any Encoder) throws {
        try first.encode(to: encoder)
        try second.encode(to: encoder)
    }
}
