public import Foundation

/// A transaction as the store signed it, with what the app must know of it without reading the signature.
public struct SignedTransaction: Codable, Equatable, Sendable {
    /// The store's id of the transaction.
    public var id: UInt64
    /// The id of the first transaction of the same subscription or purchase.
    public var originalID: UInt64
    public var product: String
    /// StoreKit's `jwsRepresentation`: what the server verifies.
    public var jws: String
    /// The `jwsRepresentation` of the subscription's renewal info, where the store tells of both together.
    public var renewalInfo: String?
    /// When the newer of both was signed.
    public var signedDate: Date
    /// StoreKit's `appAccountToken`: the order's UUID. Absent for offer codes and purchases outside the app.
    public var token: UUID?
    public var isRevoked: Bool
    public var isUpgraded: Bool
    public var isFamilyShared: Bool
    /// StoreKit's `productType`; nil if the store does not tell, and in files of older versions.
    public var productType: ProductType?

    public enum ProductType: String, Codable, Sendable {
        case consumable, nonConsumable, autoRenewable, nonRenewable
    }

    public init(
        id: UInt64,
        originalID: UInt64? = nil,
        product: String,
        jws: String,
        renewalInfo: String? = nil,
        signedDate: Date,
        token: UUID? = nil,
        isRevoked: Bool = false,
        isUpgraded: Bool = false,
        isFamilyShared: Bool = false,
        productType: ProductType? = nil
    ) {
        self.id = id
        self.originalID = originalID ?? id
        self.product = product
        self.jws = jws
        self.renewalInfo = renewalInfo
        self.signedDate = signedDate
        self.token = token
        self.isRevoked = isRevoked
        self.isUpgraded = isUpgraded
        self.isFamilyShared = isFamilyShared
        self.productType = productType
    }

    var version: TransactionVersion {
        TransactionVersion(id: id, signedAt: Int64((signedDate.timeIntervalSince1970 * 1000).rounded()))
    }
}

/// One signing of a transaction. The store signs a transaction anew when something about it changes.
struct TransactionVersion: Hashable, Comparable, Codable, Sendable {
    var id: UInt64
    /// Milliseconds since 1970, as the store signs it: a `Date` would not survive a round trip through JSON exactly.
    var signedAt: Int64

    static func < (left: TransactionVersion, right: TransactionVersion) -> Bool {
        (left.signedAt, left.id) < (right.signedAt, right.id)
    }
}
