import APIModel
import Domain
import Encoding
import Ledger
import Pages
import Stores
import Support

/// `POST /users/{user}/claims`: gives a user a purchase that a store has told of, and that nobody has. It is the user's as
/// if the user's app had posted it.
struct ClaimsEndpoint {
    let services: Services
    let user: UserID

    func answer(_ request: Request) throws(RefusedBody) -> Answer {
        guard services.streams.stream(for: user) != nil else { throw RefusedBody.invalidUserID }
        let seen = try services.seen(request)
        let node = try RefusedBody.object(request.body, instead: "Send {\"event\":…,\"reason\":…}.")
        let event = try RefusedBody.requiredString("event", of: node)
        let reason = try RefusedBody.reason(of: node, about: user)
        let act = services.act(.claim, of: request, user: user, reason: reason)
        return .later { [services] reply in
            services.reader.ask({ try $0.event(.id(event)) }) { result in
                guard case .success(let found) = result else { return reply.send(.unreadable) }
                guard let stored = found?.stored else { return reply.send(.unknownEvent) }
                // On a worker, because the body has to be read.
                let isTaken = services.workers.submit { claim(stored, act: act, seen: seen, reply: reply) }
                if !isTaken { reply.send(.busy) }
            }
        }
    }

    private func claim(_ stored: StoredEvent, act: Act, seen: Int64?, reply: Reply) {
        guard let event = try? services.verifiers.interpret(stored), event.observation != nil else {
            return reply.send(ClaimsEndpoint.unreadable)
        }
        let claim = Claim(user: user, isForUnclaimed: true)
        let command = LedgerCommand.event(event, claim: claim, receivedAt: services.clock.now()) { result in
            switch result {
            case .success(let result) where result.claim == .refused: reply.send(ClaimsEndpoint.refused)
            case .success(let result): reply.send(.committed(result))
            case .failure(let error): reply.send(.uncommitted(because: error))
            }
        }
        if !services.submit(command, by: act, unless: user, hasChangedSince: seen) { reply.send(.busy) }
    }

    private static let unreadable = Response.error(
        409,
        code: "unclaimable_event",
        message: "The event says nothing of a purchase, or its body is no longer kept: make the user a grant instead."
    )
    private static let refused = Response.error(
        409,
        code: "already_owned",
        message: "The purchase has an owner, or contradicts an order: GET /events/{id} tells whose it is."
    )
}
