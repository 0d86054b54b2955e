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
    /// StoreKit's `productType`; nil if the store does not tell.
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

/// The download of the app by the store account, as the store signed it: it is there without a purchase and without a log-in.
public struct SignedAppTransaction: Encodable, Equatable, Sendable {
    /// StoreKit's `appTransactionID`: the same for this account in this app on each of its devices, and after each new
    /// installation (https://developer.apple.com/documentation/storekit/apptransaction/apptransactionid).
    public var id: String
    /// StoreKit's `jwsRepresentation`. Whoever is to believe the id verifies it: anybody can send an id.
    public var jws: String

    private enum CodingKeys: String, CodingKey {
        case id = "appTransactionId"
        case jws = "signedAppTransaction"
    }

    public init(id: String, jws: String) {
        self.id = id
        self.jws = jws
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
