public import APIModel
public import Domain
import Encoding
import HTTP
import Ledger
import Pages

extension Services {
    /// `GET /users/{user}/purchases[?product=ID&before=CURSOR&limit=N]`: what a user was charged for, newest first.
    func purchases(of user: UserID, _ request: Request) throws(RefusedBody) -> Answer {
        guard isValidIdentifier(user.text) else { throw RefusedBody.invalidUserID }
        let page = try PurchasePage(request)
        return answer(asking: { try page.read($0, of: user) }) { found in
            let items = found.purchases.map { PurchaseItem($0) }
            return JSON.response(
                200,
                body: PurchasesAnswer(user: user, purchases: items, next: found.next?.description)
            )
        }
    }

    /// `GET /purchases?name=SIGNED`: the same for the holder of a signed stream name; and without one, for whoever operates the
    /// server, `GET /purchases[?since=INSTANT&product=ID&before=CURSOR&limit=N]`: the charges of all users.
    func purchases(_ request: Request) throws(RefusedBody) -> Answer {
        let origin = CORSAnswer(request, authorization: authorization)
        if request.method == "OPTIONS" {
            return .respond(origin.preflight(allowing: request.route.methods, headers: "If-None-Match"))
        }
        guard let name = request.query["name"] else {
            try authorization.require(request.right, of: request)
            return try purchasesOfAll(request, origin)
        }
        guard !origin.isRefused else { return .respond(origin.shown(CORSAnswer.refusal.response)) }
        let (user, page): (UserID, PurchasePage)
        do throws(RefusedBody) {
            (user, page) = (try owner(of: name), try PurchasePage(request))
        } catch {
            return .respond(origin.shown(error.response))
        }
        return .later { [reader, known = request.head[.ifNoneMatch]] reply in
            let isTaken = reader.ask({ try page.read($0, of: user) }) { result in
                guard case .success(let found) = result else { return reply.send(origin.shown(.unreadable)) }
                let items = found.purchases.map { StreamPurchaseItem($0) }
                let answer = StreamPurchasesAnswer(user: user, purchases: items, next: found.next?.description)
                reply.send(origin.shown(Services.response(JSON.encode(answer), ifNoneMatch: known)))
            }
            if !isTaken { reply.send(origin.shown(.busy)) }
            return true
        }
    }

    private func purchasesOfAll(_ request: Request, _ origin: CORSAnswer) throws(RefusedBody) -> Answer {
        let since = request.query["since"].map { Instant(iso8601: $0) } ?? Instant(milliseconds: .min)
        guard let since else {
            throw RefusedBody("invalid_since", message: "since must be an instant such as 2026-01-01T00:00:00Z.")
        }
        let place = try request.query["before"].map { text throws(RefusedBody) in
            guard let place = ChargePlace(text) else { throw PurchasePage.invalidCursor }
            return place
        }
        let (product, limit) = (request.query["product"], try request.query.limit())
        let known = request.head[.ifNoneMatch]
        let after = (contract: place?.contract ?? 0, id: place?.id ?? "")
        return answer(asking: { try $0.purchases(since: since, product: product, after: after, limit: limit) }) {
            found in
            let items = found.purchases.map { purchase in
                var item = PurchaseItem(purchase)
                item.user = purchase.user
                return item
            }
            let next = found.next.map { ChargePlace(contract: $0.contract, id: $0.id).description }
            let body = JSON.encode(PurchasesAnswer(user: nil, purchases: items, next: next))
            return origin.shown(Services.response(body, ifNoneMatch: known))
        }
    }
}

/// Which page of a user's charges is wanted.
private struct PurchasePage: Sendable {
    let product: String?
    let cursor: PurchaseCursor?
    let limit: Int

    static let invalidCursor = RefusedBody("invalid_cursor", message: "before must be the next of the page before.")

    init(_ request: Request) throws(RefusedBody) {
        product = request.query["product"]
        limit = try request.query.limit()
        cursor = try request.query["before"].map { text throws(RefusedBody) in
            guard let cursor = PurchaseCursor(text) else { throw PurchasePage.invalidCursor }
            return cursor
        }
    }

    func read(_ queries: LedgerQueries, of user: UserID) throws -> (purchases: [Purchase], next: PurchaseCursor?) {
        try queries.purchases(of: user, product: product, after: cursor, limit: limit)
    }
}

/// The key of a charge's row, as a cursor.
private struct ChargePlace {
    var contract: Int64
    var id: String

    init(contract: Int64, id: String) { (self.contract, self.id) = (contract, id) }

    init?(_ text: String) {
        let parts = text.split(separator: "_", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let contract = Int64(parts[0]), let id = Base64URL.decode(String(parts[1])) else {
            return nil
        }
        self.init(contract: contract, id: String(decoding: id, as: UTF8.self))
    }

    var description: String { "\(contract)_\(Base64URL.encode(Array(id.utf8)))" }
}

extension PurchaseItem {
    init(_ purchase: Purchase) {
        self.init(purchase.charge, of: purchase.contract, kind: purchase.kind, store: purchase.store)
    }
}

/// Answers `GET /users/{user}/purchases`, and `GET /purchases` for an operator.
public struct PurchasesAnswer: Codable, Sendable, Equatable {
    /// Left out in the list of all users' charges, each of which names its own.
    public var user: UserID?
    /// A user's newest first; those of all contract by contract.
    public var purchases: [PurchaseItem]
    /// The `before` parameter of the next page, or null on the last page.
    @Nullable public var next: String?
}

/// Answers `GET /purchases` for the holder of a signed stream name.
struct StreamPurchasesAnswer: Codable, Sendable, Equatable {
    var user: UserID
    var purchases: [StreamPurchaseItem]
    @Nullable var next: String?
}

/// The members of `PurchaseItem` that are for pages: a list of its own, as `StreamEntitlementsAnswer` is. It lacks the contract
/// and the order, which another user may have made.
struct StreamPurchaseItem: Codable, Sendable, Equatable {
    var store: String
    var provider: String
    var environment: String
    /// Left out where it is Google's purchase token, as of what was bought with a code.
    var transaction: String?
    var product: String
    var kind: String?
    var quantity: Int
    var price: Int?
    var currency: String?
    var trial: Bool?
    var offer: String?
    var purchasedAt: String?
    var expiresAt: String?
    var refundedAt: String?
    var refunded: Int?

    init(_ purchase: Purchase) {
        let item = PurchaseItem(purchase)
        let isToken = purchase.contract.provider == .google && item.transaction.hasSameBytes(as: item.contract)
        transaction = isToken ? nil : item.transaction
        store = item.store
        provider = item.provider
        environment = item.environment
        product = item.product
        kind = item.kind
        quantity = item.quantity
        price = item.price
        currency = item.currency
        trial = item.trial
        offer = item.offer
        purchasedAt = item.purchasedAt
        expiresAt = item.expiresAt
        refundedAt = item.refundedAt
        refunded = item.refunded
    }
}
