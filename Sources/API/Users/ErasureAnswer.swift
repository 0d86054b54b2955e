import APIModel
import Domain
import HTTP
import Ledger
import Pages
import Support

extension Services {
    /// `DELETE /users/{user}[?reason=TEXT]`: erases a user, so that no later statement of a store brings the user back.
    func erase(_ user: UserID, _ request: Request) throws(RefusedBody) -> Answer {
        guard isValidIdentifier(user.text) else { throw RefusedBody.invalidUserID }
        let reason = request.query["reason"]
        try RefusedBody.check(reason: reason, about: user)
        let seen = try seen(request)
        // The entry stays, and names nobody.
        var act = act(.erase, of: request, user: user, reason: reason)
        act.user = nil
        return answer(on: .operators) { [self, act] in erase(user, act: act, seen: seen) }
    }

    /// Runs step by step, so that everybody else's commands get their turn in between.
    private func erase(_ user: UserID, act: Act, seen: Int64?) -> Response {
        var done = ErasureStep()
        var seen = seen
        while true {
            let answer = Promise<Result<ErasureStep, LedgerError>>()
            let command = LedgerCommand.erase(user) { answer.fulfil($0) }
            guard submit(command, by: act, unless: user, hasChangedSince: seen) else { return .busy }
            let step: ErasureStep
            switch answer.wait(timeout: .seconds(30)) {
            case .success(let next)?: step = next
            case .failure(.changed)?: return .uncommitted(because: .changed)
            case .failure?, nil:
                let message = "The ledger could not erase everything; send the request again."
                return .unavailable("ledger_unavailable", message: message)
            }
            // What has begun is finished.
            seen = nil
            done.add(step)
            guard let cursor = step.cursor else { continue }
            // The log names nobody.
            log.info(
                "user erased",
                fields: [
                    "reason": act.reason ?? "-", "contracts": done.contracts, "orders": done.orders,
                    "events": done.events,
                ]
            )
            let body = ErasureAnswer(
                contracts: done.contracts,
                orders: done.orders,
                events: done.events,
                fragments: done.fragments,
                since: cursor.description
            )
            return JSON.response(200, body: body)
        }
    }
}

/// Answers `DELETE /users/{user}`: what was erased. All numbers are 0 for a user of whom nothing is known.
public struct ErasureAnswer: Codable, Sendable, Equatable {
    public var contracts: Int
    public var orders: Int
    /// Entries and events whose content was erased; their positions stay.
    public var events: Int
    public var fragments: Int
    /// The ledger's newest cursor.
    public var since: String
}
