/// What stores have said of one charge: what somebody paid for, and what was given back. A ledger keeps one for each charge of a
/// contract, under the store's id of the transaction, the order or the invoice.
///
/// As with a `Contract`, its value depends neither on the order nor on the number of deliveries: `merge` is commutative,
/// associative and idempotent.
public struct Charge: Sendable, Equatable {
    public var id: String
    /// Nil while only a refund is known.
    public var terms: ChargeTerms?
    /// What the newest statement about it says. Nil as long as none has said anything.
    public var refund: Refund?

    /// What was given back of a charge.
    public struct Refund: Sendable, Equatable {
        /// When; nil for a statement that nothing was, or that the money was taken once more.
        public var at: Instant?
        /// In thousandths of the currency's unit; nil for all of it, and if the store does not say how much.
        public var amount: Int64?
        /// Whether it covers only part of the charge.
        public var isPartial = false
        public var statedAt: Instant

        public init(at: Instant?, amount: Int64? = nil, isPartial: Bool = false, statedAt: Instant) {
            self.at = at
            self.amount = amount
            self.isPartial = isPartial
            self.statedAt = statedAt
        }
    }

    public init(id: String, terms: ChargeTerms? = nil, refund: Refund? = nil) {
        self.id = id
        self.terms = terms
        self.refund = refund
    }
}

/// What somebody paid, and for what.
///
/// What it cost is what the first statement says, of those that say most of it: a later one may have the next period's price. For
/// how long, and with which order, is what the last one says, because a period may be extended.
public struct ChargeTerms: Sendable, Equatable {
    public var product: String
    /// When it was charged: the earliest date of any statement, as some stores only date the statement.
    public var purchasedAt: Instant
    public var quantity = 1
    /// Thousandths of the currency's unit: 9990 is 9.99.
    public var price: Int64?
    /// ISO 4217.
    public var currency: String?
    /// The part of the price that is tax, if the store says it.
    public var tax: Int64?
    /// The store's name of the offer with which it was bought, or the kind of offer.
    public var offer: String?
    /// True when it paid nothing for a trial.
    public var isTrial = false
    public var pricedAt: Instant
    /// The end of the period that it pays for.
    public var expiresAt: Instant?
    public var order: OrderToken?
    public var statedAt: Instant

    public init(product: String, purchasedAt: Instant, statedAt: Instant) {
        self.product = product
        self.purchasedAt = purchasedAt
        self.statedAt = statedAt
        pricedAt = statedAt
    }

    /// What a statement about access also says of its charge.
    public init(_ charge: Transaction, order: OrderToken?) {
        self.init(product: charge.product, purchasedAt: charge.purchasedAt, statedAt: charge.signedAt)
        expiresAt = charge.expiresAt
        quantity = charge.quantity
        price = charge.price
        currency = charge.currency
        isTrial = charge.isTrial
        self.order = order
    }
}

extension Charge {
    /// Adds what another statement says of the same charge.
    public mutating func merge(_ stated: Charge) {
        if let new = stated.terms { terms = terms?.merged(with: new) ?? new }
        merge(stated.refund)
    }

    /// A refund is of the charge, whatever it paid for.
    public mutating func merge(_ stated: Refund?) {
        guard let stated else { return }
        refund = refund.map { max($0, stated) } ?? stated
    }

    /// What was given back, in thousandths; nil if nothing was, or nobody says how much.
    public var refunded: Int64? {
        guard let refund, refund.at != nil else { return nil }
        return refund.amount ?? (refund.isPartial ? nil : terms?.price)
    }

    public var refundedAt: Instant? { refund?.at }
}

extension ChargeTerms {
    fileprivate func merged(with other: ChargeTerms) -> ChargeTerms {
        var merged = (gaps, pricedAt, moneyText) <= (other.gaps, other.pricedAt, other.moneyText) ? self : other
        let last = (statedAt, periodText) >= (other.statedAt, other.periodText) ? self : other
        merged.purchasedAt = min(purchasedAt, other.purchasedAt)
        merged.expiresAt = last.expiresAt
        merged.order = last.order
        merged.statedAt = last.statedAt
        return merged
    }

    /// How much of what it cost is left open.
    private var gaps: Int { (price == nil ? 2 : 0) + (tax == nil ? 1 : 0) }

    /// Used only to make a choice between statements of one date deterministic.
    private var moneyText: String {
        let numbers = [Int64(quantity), price ?? .min, tax ?? .min].map { String($0) }
        return ([product, currency ?? "", offer ?? "", isTrial ? "1" : "0"] + numbers).joined(separator: "\n")
    }

    private var periodText: String { "\(expiresAt?.milliseconds ?? .min)\n\(order?.description ?? "")" }
}

extension Charge.Refund: Comparable {
    /// The newest statement counts. Among those of one date, that which gives more back, and then the one that did so first.
    public static func < (left: Charge.Refund, right: Charge.Refund) -> Bool {
        (left.statedAt, left.weight, left.amount ?? .max, right.at ?? right.statedAt)
            < (right.statedAt, right.weight, right.amount ?? .max, left.at ?? left.statedAt)
    }

    private var weight: Int { at == nil ? 0 : isPartial ? 1 : 2 }
}

/// A store's id of a charge, within the scope in which it means one. The products of one purchase may share a charge.
public struct ChargeName: Sendable {
    public var id: String
    public var provider: Provider
    public var environment: StoreEnvironment
    public var app: String

    public init(_ id: String, of key: ContractKey) {
        self.id = id
        provider = key.provider
        environment = key.environment
        app = key.app
    }
}

extension ChargeName: Hashable {
    public static func == (left: ChargeName, right: ChargeName) -> Bool {
        left.id.hasSameBytes(as: right.id) && left.app.hasSameBytes(as: right.app) && left.provider == right.provider
            && left.environment == right.environment
    }

    public func hash(into hasher: inout Hasher) { id.hashBytes(into: &hasher) }
}

/// What has become of a charge, in the words of the feed and of the messages to the backend.
public enum ChargeNews: String, Sendable {
    case made = "purchase.made"
    case refunded = "purchase.refunded"

    /// Nil if nothing has happened to the money. A refund that was taken back is a charge again.
    init?(before: Charge?, after: Charge) {
        guard after.terms != nil else { return nil }
        guard let before, before.terms != nil else {
            self = .made
            return
        }
        switch (before.refundedAt, after.refundedAt) {
        case (_?, nil): self = .made
        case (nil, _?): self = .refunded
        case (_?, _?) where after.isRefundedOtherwise(than: before): self = .refunded
        default: return nil
        }
    }

    public var hook: HookType { self == .made ? .purchaseMade : .purchaseRefunded }
}

extension Charge {
    /// Whether another part was given back than before. Google does not say how much: of that, it is known when all of it was, and
    /// that a part of a later date is a further one.
    fileprivate func isRefundedOtherwise(than before: Charge) -> Bool {
        guard refunded == before.refunded, refund?.isPartial == before.refund?.isPartial else { return true }
        guard refunded == nil, refund?.isPartial == true, let first = before.refundedAt, let last = refundedAt else {
            return false
        }
        return first < last
    }
}

/// A charge in a notice.
public struct NoticedCharge: Sendable, Equatable {
    /// The store's id.
    public var id: String
    public var news: ChargeNews

    public init(id: String, news: ChargeNews) {
        self.id = id
        self.news = news
    }
}
