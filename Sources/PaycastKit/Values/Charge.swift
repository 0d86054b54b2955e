public import Foundation

/// Something that the user was charged for, in the server's words (`GET /purchases`): a purchase, or one period of a subscription,
/// from whatever store. StoreKit's `Transaction.all` knows the App Store's alone.
public struct Charge: Codable, Equatable, Sendable {
    /// By the store's id; nil if the store gave it none that an app may know.
    public var transaction: String?
    public var product: String
    /// Such as `subscription` or `consumable`.
    public var kind: String?
    public var quantity: Int
    /// In thousandths of the currency's unit: 9990 is 9.99. Nil if the store does not tell.
    public var price: Int64?
    /// Such as `USD`.
    public var currency: String?
    public var isTrial: Bool?
    /// The store's name of the offer.
    public var offer: String?
    public var purchasedAt: Date?
    /// The end of the period that it paid for.
    public var expiresAt: Date?
    /// When it was given back, or a part of it.
    public var refundedAt: Date?
    /// How much of it, as `price`.
    public var refunded: Int64?
    /// Who sold it, such as `apple`.
    public var store: String?
    /// `Production`, or a test's.
    public var environment: String?

    private enum CodingKeys: String, CodingKey {
        case transaction, product, kind, quantity, price, currency, offer, refunded, store, environment
        case isTrial = "trial"
        case purchasedAt = "purchased_at"
        case expiresAt = "expires_at"
        case refundedAt = "refunded_at"
    }
}

/// One page of them, newest first.
struct ChargePage: Codable, Sendable {
    var purchases: [Charge]
    /// Where the next page begins; nil on the last one.
    var next: String?
}
