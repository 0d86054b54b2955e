import APIModel
import Domain
import Encoding
import Ledger
import Pages
import Stores
import Support

extension Services {
    /// `POST /users/{user}/claims`: gives a user a purchase that a store has told of, and that nobody has. It is the user's
    /// as if the user's app had posted it.
    func claim(for user: UserID, _ request: Request) throws(RefusedBody) -> Answer {
        guard streams.stream(for: user) != nil else { throw RefusedBody.invalidUserID }
        let seen = try seen(request)
        let node = try RefusedBody.object(request.body, instead: "Send {\"event\":…,\"reason\":…}.")
        let event = try RefusedBody.requiredString("event", of: node)
        let reason = try RefusedBody.requiredString("reason", of: node)
        try RefusedBody.check(reason: reason, about: user)
        let act = act(.claim, of: request, user: user, reason: reason)
        return .later { [self] reply in
            ask({ try $0.event(.id(event)) }, for: reply) { [self] found in
                guard let stored = found?.stored else { return reply.send(.unknownEvent) }
                // On a worker, because the body has to be read.
                reply.send(
                    busyUnless: workers.submit { [self] in
                        claim(stored, for: user, act: act, seen: seen, reply: reply)
                    }
                )
            }
        }
    }

    private func claim(_ stored: StoredEvent, for user: UserID, act: Act, seen: Int64?, reply: Reply) {
        guard let event = try? verifiers.interpret(stored), event.observation != nil else {
            return reply.send(Services.unclaimable)
        }
        let claim = Claim(user: user, isAsked: false)
        let command = LedgerCommand.event(event, claim: claim, receivedAt: clock.now()) { result in
            switch result {
            case .success(let result) where result.claim?.holder != .yours: reply.send(Services.alreadyOwned)
            case .success(let result): reply.send(.committed(result))
            case .failure(let error): reply.send(.uncommitted(because: error))
            }
        }
        reply.send(busyUnless: submit(command, by: act, unless: user, hasChangedSince: seen))
    }

    private static let unclaimable = Response.error(
        409,
        code: "unclaimable_event",
        message: "The event says nothing of a purchase, or its body is no longer kept: make the user a grant instead."
    )
    private static let alreadyOwned = Response.error(
        409,
        code: "already_owned",
        message: "The purchase has an owner, or contradicts an order: GET /events/{id} tells whose it is."
    )
}
