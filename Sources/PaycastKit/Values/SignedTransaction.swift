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
    /// When the store signed the transaction.
    public var signedDate: Date
    /// When the store signed the renewal info, which it does apart.
    public var renewalInfoSignedDate: Date?
    /// StoreKit's `appAccountToken`: the order's UUID. Absent for offer codes and purchases outside the app.
    public var token: UUID?
    public var isRevoked = false
    public var isUpgraded = false
    public var isFamilyShared = false
    /// StoreKit's `productType`; nil if the store does not tell.
    public var productType: ProductType?
    /// When the period ends that was paid; nil for what does not renew.
    public var expiresAt: Date?

    public enum ProductType: String, Codable, Sendable {
        case consumable, nonConsumable, autoRenewable, nonRenewable
    }

    public init(id: UInt64, product: String, jws: String, signedDate: Date, token: UUID? = nil) {
        self.id = id
        originalID = id
        self.product = product
        self.jws = jws
        self.signedDate = signedDate
        self.token = token
    }

    /// Whether it opens anything, as far as the store tells.
    func isOpen(at now: Date) -> Bool {
        !isRevoked && !isUpgraded && productType != .consumable && expiresAt.map { $0 > now } ?? true
    }

    var version: TransactionVersion {
        TransactionVersion(id: id, signedAt: signedDate, renewalAt: renewalInfoSignedDate ?? .distantPast)
    }

    /// The newest signing of the transaction, with the newest of its renewal info: each may come with an old one of the other.
    func merged(with other: SignedTransaction) -> SignedTransaction {
        var merged = version.signedAt < other.version.signedAt ? other : self
        let newest = version.renewalAt < other.version.renewalAt ? other : self
        (merged.renewalInfo, merged.renewalInfoSignedDate) = (newest.renewalInfo, newest.renewalInfoSignedDate)
        return merged
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

/// One signing of a transaction, and of the renewal info beside it. The store signs either anew when something about it changes.
struct TransactionVersion: Hashable, Sendable {
    var id: UInt64
    var signedAt: Date
    /// Long ago without a renewal info.
    var renewalAt: Date

    mutating func add(_ other: TransactionVersion) {
        (signedAt, renewalAt) = (max(signedAt, other.signedAt), max(renewalAt, other.renewalAt))
    }

    /// Whether nothing in the other one is newer: like is compared with like.
    func covers(_ other: TransactionVersion) -> Bool { signedAt >= other.signedAt && renewalAt >= other.renewalAt }
}
