import APIModel
import Domain
import Encoding
import HTTP
import Ledger
import Pages
import Stores
import Support

/// `POST /users/{user}/grants` and `DELETE /users/{user}/grants/{id}`: the app's backend, or its support staff, gives a user
/// a product, and takes it back. The ledger treats it as it treats a store's contract.
struct GrantsEndpoint {
    let services: Services
    let user: UserID

    func grant(_ request: Request) throws(RefusedBody) -> Answer {
        guard services.streams.stream(for: user) != nil else { return .respond(UsersEndpoint.invalidUser) }
        let seen = try services.seen(request)
        let wanted = try GrantedProduct(request.body, user: user, now: services.clock.now())
        let grant = wanted.grant(to: user, key: try request.key())
        let act = services.act(.grant, of: request, user: user, reason: grant.reason)
        return .later { reply in
            // The backend vouches for the user, who may have been erased and is back.
            commit(grant, claim: Claim(user: user), act: act, seen: seen, reply: reply) { result in
                guard result.outcome == .duplicate else {
                    return reply.send(.granted(grant, status: 201, at: result.cursor))
                }
                // Its key was used before: for the same grant, which gets the same answer, or for another one.
                answerAsStored(grant, reply: reply) { first in
                    guard let first, grant.repeats(first) else { return GrantsEndpoint.keyReused }
                    return .granted(first, status: 201, at: result.cursor)
                }
            }
        }
    }

    func revoke(_ id: String, request: Request) -> Answer {
        guard services.streams.stream(for: user) != nil else { return .respond(UsersEndpoint.invalidUser) }
        guard let reason = request.query["reason"], isValidIdentifier(reason) else {
            return .respond(RefusedBody.reason.response)
        }
        guard !Act.names(user, in: reason) else { return .respond(RefusedBody.namingReason.response) }
        let seen: Int64?
        do throws(RefusedBody) { seen = try services.seen(request) } catch { return .respond(error.response) }
        let act = services.act(.revoke, of: request, user: user, reason: reason)
        return .later { [services] reply in
            services.reader.record(of: user) { result in
                guard case .success(let record) = result else { return reply.send(.unreadable) }
                guard let grant = record.grant(id, of: user) else { return reply.send(GrantsEndpoint.unknown) }
                revoke(grant, act: act, seen: seen, reply: reply)
            }
        }
    }

    private func revoke(_ grant: Grant, act: Act, seen: Int64?, reply: Reply) {
        let reason = act.reason ?? ""
        let revoked: Grant
        if grant.revokedAt == nil {
            let now = services.clock.now()
            guard grant.until.map({ $0 > now }) ?? true else { return reply.send(GrantsEndpoint.ended) }
            revoked = grant.revoked(at: now, reason: reason)
        } else {
            revoked = grant
        }
        let isTaken = commit(revoked, claim: nil, act: act, seen: seen, reply: reply) { result in
            // Somebody else may have taken it back since it was read, or long ago; or has erased the user, and granted it
            // again: then it was not taken back.
            answerAsStored(revoked, reply: reply) { stored in
                if let stored, stored.revokedAt == nil { return .uncommitted }
                return .granted(stored ?? revoked, status: 200, at: result.cursor)
            }
        }
        if !isTaken { reply.send(.busy) }
    }

    /// Returns false if the ledger's queue is full.
    private func commit(
        _ grant: Grant,
        claim: Claim?,
        act: Act,
        seen: Int64?,
        reply: Reply,
        done: @escaping @Sendable (CommitResult) -> Void
    ) -> Bool {
        let command = LedgerCommand.event(grant.event, claim: claim, receivedAt: services.clock.now()) { result in
            switch result {
            case .success(let result): done(result)
            case .failure(let error): reply.send(.uncommitted(because: error))
            }
        }
        return services.submit(command, by: act, unless: grant.user, hasChangedSince: seen)
    }

    private func answerAsStored(_ grant: Grant, reply: Reply, answer: @escaping @Sendable (Grant?) -> Response) {
        let isTaken = services.reader.record(of: grant.user) { result in
            reply.send(result) { record in answer(record.grant(grant.id, of: grant.user)) }
        }
        if !isTaken { reply.send(.busy) }
    }

    private static let unknown = Response.error(404, code: "unknown_grant", message: "The user has no such grant.")
    private static let ended = Response.error(
        409,
        code: "grant_ended",
        message: "The grant has ended by itself: there is nothing to take back."
    )
    private static let keyReused = Response.error(
        422,
        code: "idempotency_key_reused",
        message: "Another grant came with this Idempotency-Key; take a new key."
    )
}

/// What is granted, read strictly: one of `until`, `days` and `forever` says for how long.
private struct GrantedProduct {
    private static let days = Int64(1)...3650

    private let product: String
    private let group: String?
    private let reason: String
    private let now: Instant
    private let until: Instant?

    init(_ body: [UInt8], user: UserID, now: Instant) throws(RefusedBody) {
        let node = try RefusedBody.object(
            body,
            instead: "Send {\"product\":…,\"days\":30,\"reason\":…}, or until or forever instead of days."
        )
        product = try RefusedBody.requiredString("product", of: node)
        try RefusedBody.check(product, or: .invalidProduct)
        group = try RefusedBody.string("group", of: node)
        try RefusedBody.check(group, or: .invalidGroup)
        reason = try RefusedBody.reason(of: node, about: user)
        self.now = now
        until = try GrantedProduct.end(node, now: now)
    }

    /// Nil for ever.
    private static func end(_ node: JSONNode, now: Instant) throws(RefusedBody) -> Instant? {
        let given = ["until", "days", "forever"].compactMap { node[$0] }.filter { !$0.isNull }
        guard given.count == 1 else {
            throw RefusedBody("invalid_term", message: "Send one of until, days and forever.")
        }
        if let text = try RefusedBody.string("until", of: node) {
            guard let until = Instant(iso8601: text), until > now else {
                throw RefusedBody("invalid_until", message: "until must be an ISO 8601 instant of the future.")
            }
            return until
        }
        if let member = node["days"], !member.isNull {
            guard let days = member.integer, GrantedProduct.days.contains(days) else {
                throw RefusedBody("invalid_days", message: "days must be a whole number from 1 to 3650.")
            }
            return now + .seconds(days * 86_400)
        }
        guard node["forever"]?.boolean == true else { throw RefusedBody.mistyped("forever", expected: "true") }
        return nil
    }

    func grant(to user: UserID, key: IdempotencyKey?) -> Grant {
        let id = Grant.id(for: user, key: key)
        var grant = Grant(id: id, user: user, product: product, grantedAt: now, reason: reason)
        (grant.group, grant.until) = (group, until)
        return grant
    }
}

extension Grant {
    /// True if the same request led to `first`, whose dates may be older: then its term is as long, or has the same end.
    fileprivate func repeats(_ first: Grant) -> Bool {
        let isSame = product.hasSameBytes(as: first.product) && (group == nil || group == first.group)
        guard let until, let firstEnd = first.until else { return isSame && until == first.until }
        let length = until.milliseconds - grantedAt.milliseconds
        return isSame && (until == firstEnd || length == firstEnd.milliseconds - first.grantedAt.milliseconds)
    }
}

extension UserRecord {
    /// Nil for the contract of a store, or of somebody else.
    fileprivate func grant(_ id: String, of user: UserID) -> Grant? {
        for record in contracts where record.entitlement.provider == .paycast {
            guard record.entitlement.contract.hasSameBytes(as: id), let charge = record.charge else { continue }
            var grant = Grant(id: id, user: user, product: charge.product, grantedAt: charge.purchasedAt, reason: "")
            grant.group = record.entitlement.group
            (grant.until, grant.revokedAt) = (charge.expiresAt, charge.revokedAt)
            return grant
        }
        return nil
    }
}

extension RefusedBody {
    static let reason = RefusedBody(
        "invalid_reason",
        message: "A reason must have 1 to 255 bytes and no control characters."
    )

    static let namingReason = RefusedBody("invalid_reason", message: Act.namingReason)

    /// The reason of an act that needs none; nil without one. A nil `user` means that the act is about nobody in particular.
    static func optionalReason(of node: JSONNode, about user: UserID?) throws(RefusedBody) -> String? {
        guard let member = node["reason"], !member.isNull else { return nil }
        guard let user else {
            let text = try requiredString("reason", of: node)
            guard isValidIdentifier(text) else { throw reason }
            return text
        }
        return try reason(of: node, about: user)
    }

    /// Why something is done to a user. It outlives the user.
    static func reason(of node: JSONNode, about user: UserID) throws(RefusedBody) -> String {
        let text = try requiredString("reason", of: node)
        guard isValidIdentifier(text) else { throw reason }
        guard !Act.names(user, in: text) else { throw namingReason }
        return text
    }
}

extension Response {
    fileprivate static func granted(_ grant: Grant, status: Int, at cursor: Cursor) -> Response {
        JSON.response(
            status,
            body: GrantAnswer(
                grant: grant.id,
                user: grant.user,
                product: grant.product,
                group: grant.group,
                grantedAt: grant.grantedAt,
                until: grant.until,
                revokedAt: grant.revokedAt,
                cursor: cursor
            )
        )
    }
}
