public import APIModel
public import Domain
import Encoding
import HTTP
import Ledger
import Pages
import Stores
import Support

/// The app's backend, or its support staff, gives a user a product or an entitlement, and takes it back. The ledger treats it as it treats a
/// store's contract.
extension Services {
    /// `POST /users/{user}/grants`.
    func grant(to user: UserID, _ request: Request) throws(RefusedBody) -> Answer {
        guard streams.stream(for: user) != nil else { throw RefusedBody.invalidUserID }
        let seen = try seen(request)
        let grant = try Grant(request, to: user, catalog: catalogs.value, now: clock.now())
        let act = act(.grant, of: request, user: user, reason: grant.reason)
        return .later { [self] reply in
            // The backend vouches for the user, who may have been erased and is back.
            commit(grant, claim: Claim(user: user), act: act, seen: seen, reply: reply) { [self] result in
                guard result.outcome == .duplicate else {
                    return reply.send(granted(grant, status: 201, at: result.cursor))
                }
                // Its key was used before: for the same grant, which gets the same answer, or for another one.
                answerAsStored(grant, reply: reply) { [self] first in
                    guard let first, grant.repeats(first) else { return Services.keyReused }
                    return granted(first, status: 201, at: result.cursor)
                }
            }
        }
    }

    /// `DELETE /users/{user}/grants/{id}`.
    func revoke(_ id: String, of user: UserID, _ request: Request) throws(RefusedBody) -> Answer {
        guard streams.stream(for: user) != nil else { throw RefusedBody.invalidUserID }
        let reason = request.query["reason"] ?? ""
        try RefusedBody.check(reason: reason, about: user)
        let seen = try seen(request)
        let act = act(.revoke, of: request, user: user, reason: reason)
        return .later { [self] reply in
            ask({ try $0.record(of: user) }, for: reply) { [self] record in
                guard let grant = record.grant(id, of: user) else { return reply.send(Services.unknownGrant) }
                revoke(grant, act: act, seen: seen, reply: reply)
            }
        }
    }

    private func revoke(_ grant: Grant, act: Act, seen: Int64?, reply: Reply) {
        var revoked = grant
        if grant.revokedAt == nil {
            let now = clock.now()
            guard grant.until.map({ $0 > now }) ?? true else { return reply.send(Services.grantEnded) }
            revoked = grant.revoked(at: now, reason: act.reason ?? "")
        }
        let isTaken = commit(revoked, claim: nil, act: act, seen: seen, reply: reply) { [self, revoked] result in
            // Somebody else may have taken it back since it was read, or long ago; or has erased the user, and granted it
            // again: then it was not taken back.
            answerAsStored(revoked, reply: reply) { [self] stored in
                if let stored, stored.revokedAt == nil { return .uncommitted }
                return granted(stored ?? revoked, status: 200, at: result.cursor)
            }
        }
        reply.send(busyUnless: isTaken)
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
        let command = LedgerCommand.event(grant.event, claim: claim, receivedAt: clock.now()) { result in
            switch result {
            case .success(let result): done(result)
            case .failure(let error): reply.send(.uncommitted(because: error))
            }
        }
        return submit(command, by: act, unless: grant.user, hasChangedSince: seen)
    }

    private func answerAsStored(_ grant: Grant, reply: Reply, answer: @escaping @Sendable (Grant?) -> Response) {
        reply.send(
            busyUnless: ask({ try $0.record(of: grant.user) }, for: reply) { record in
                reply.send(answer(record.grant(grant.id, of: grant.user)))
            }
        )
    }

    private static let unknownGrant = Response.error(404, code: "unknown_grant", message: "The user has no such grant.")
    private static let grantEnded = Response.error(
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

extension Grant {
    /// What is granted, read strictly: one of `until`, `days` and `forever` says for how long.
    fileprivate init(_ request: Request, to user: UserID, catalog: Catalog, now: Instant) throws(RefusedBody) {
        let node = try RefusedBody.object(
            request.body,
            instead:
                "Send {\"product\":…,\"days\":30,\"reason\":…}, entitlement instead of product, or until or forever instead "
                + "of days."
        )
        let product = try RefusedBody.string("product", of: node)
        let entitlement = try RefusedBody.string("entitlement", of: node)
        guard let given = product ?? entitlement, product == nil || entitlement == nil else {
            throw RefusedBody("invalid_json", message: "Send either product or entitlement, as a string.")
        }
        try RefusedBody.check(product, or: .invalidProduct)
        let group = try RefusedBody.string("group", of: node)
        try RefusedBody.check(group, or: .invalidGroup)
        let reason = try RefusedBody.requiredString("reason", of: node)
        try RefusedBody.check(reason: reason, about: user)
        let until = try Grant.end(node, now: now)
        let id = Grant.id(for: user, key: try request.key())
        self.init(id: id, user: user, product: given, grantedAt: now, reason: reason)
        (self.group, self.until, self.entitlement) = (group, until, entitlement)
        try check(by: catalog)
    }

    /// The names of the entitlements that it opens.
    fileprivate func opened(by catalog: Catalog) -> [String] {
        catalog.opened(by: product, kind: kind, at: .paycast, stated: entitlement).map(\.description)
    }

    /// Whoever grants something expects access: what opens nothing is a slip, or missing in the catalog.
    private func check(by catalog: Catalog) throws(RefusedBody) {
        let names = catalog.entitlements.map(\.description)
        if let entitlement {
            guard !names.contains(where: entitlement.hasSameBytes) else { return }
            let near = nearest(to: entitlement, among: names).map { "; did you mean \(quoted($0))?" } ?? "."
            let message = "The catalog has no entitlement \(quoted(entitlement)), but \(list(names))\(near)"
            throw RefusedBody("unknown_entitlement", message: message, status: 422)
        }
        guard opened(by: catalog).isEmpty else { return }
        guard catalog[product] == nil else {
            let message =
                "By the catalog, \(quoted(product)) opens nothing: grant an entitlement (\(list(names))), or name in the "
                + "catalog what it opens."
            throw RefusedBody("opens_nothing", message: message, status: 422)
        }
        let near = nearest(to: product, among: catalog.productIDs).map { "; did you mean \(quoted($0))?" } ?? "."
        let message =
            "The catalog does not name \(quoted(product)), so it would open nothing: grant an entitlement "
            + "(\(list(names))), or a product of the catalog\(near)"
        throw RefusedBody("opens_nothing", message: message, status: 422)
    }

    private func list(_ names: [String]) -> String {
        names.prefix(10).joined(separator: ", ") + (names.count > 10 ? " …" : "")
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
            guard let days = member.integer, (1...3650).contains(days) else {
                throw RefusedBody("invalid_days", message: "days must be a whole number from 1 to 3650.")
            }
            return now + .seconds(days * 86_400)
        }
        guard node["forever"]?.boolean == true else { throw RefusedBody.mistyped("forever", expected: "true") }
        return nil
    }

    /// True if the same request led to `first`, whose dates may be older: then its term is as long, or has the same end.
    fileprivate func repeats(_ first: Grant) -> Bool {
        let isSame =
            product.hasSameBytes(as: first.product) && entitlement == first.entitlement
            && (group == nil || group == first.group)
        guard let until, let firstEnd = first.until else { return isSame && until == first.until }
        let length = until.milliseconds - grantedAt.milliseconds
        return isSame && (until == firstEnd || length == firstEnd.milliseconds - first.grantedAt.milliseconds)
    }
}

extension UserRecord {
    /// Nil for the contract of a store, or of somebody else.
    fileprivate func grant(_ id: String, of user: UserID) -> Grant? {
        for record in contracts where record.summary.provider == .paycast {
            guard record.summary.contract.hasSameBytes(as: id),
                let charge = record.tracked.contract.transaction?.transaction
            else { continue }
            var grant = Grant(id: id, user: user, product: charge.product, grantedAt: charge.purchasedAt, reason: "")
            grant.group = record.tracked.contract.group?.value
            grant.entitlement = record.tracked.contract.entitlements?.value
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

    /// Why something is done to a user, which outlives the user. Nil is as good; a nil `user` means that it is done to nobody
    /// in particular.
    static func check(reason text: String?, about user: UserID?) throws(RefusedBody) {
        try check(text, or: reason)
        if let text, let user, Act.names(user, in: text) { throw namingReason }
    }
}

extension Services {
    fileprivate func granted(_ grant: Grant, status: Int, at cursor: Cursor) -> Response {
        JSON.response(
            status,
            body: GrantAnswer(
                grant: grant.id,
                user: grant.user,
                product: grant.product,
                entitlement: grant.entitlement,
                entitlements: grant.opened(by: catalogs.value),
                group: grant.group,
                grantedAt: grant.grantedAt.iso8601,
                until: grant.until?.iso8601,
                revokedAt: grant.revokedAt?.iso8601,
                cursor: cursor.description
            )
        )
    }
}

/// Answers `POST /users/{user}/grants`, and `DELETE` of one.
public struct GrantAnswer: Codable, Sendable, Equatable {
    /// The id that takes it back: the contract's in entitlements and events.
    public var grant: String
    public var user: UserID
    /// The entitlement's name, if that was granted.
    public var product: String
    /// Null if a product was granted.
    @Nullable public var entitlement: String?
    /// The names of the entitlements that it opens by the catalog of now.
    public var entitlements: [String]
    /// Null if it has none.
    @Nullable public var group: String?
    /// ISO 8601, UTC.
    public var grantedAt: String
    /// When it ends by itself: ISO 8601, UTC; null for ever.
    @Nullable public var until: String?
    /// When it was taken back: ISO 8601, UTC; null if it was not.
    @Nullable public var revokedAt: String?
    /// Where it was committed.
    public var cursor: String
}
