/// The documents of Apple that the stand-in reads again, member for member as they are sent
/// (https://developer.apple.com/documentation/appstoreservernotifications). Dates are in milliseconds, prices in
/// thousandths.
public struct TransactionDocument: Codable, Sendable {
    public var transactionId: String
    public var originalTransactionId: String
    public var previousOriginalTransactionId: String?
    public var webOrderLineItemId: String?
    public var appTransactionId: String
    public var bundleId: String
    public var productId: String
    public var subscriptionGroupIdentifier: String?
    public var purchaseDate: Int64
    public var originalPurchaseDate: Int64
    public var expiresDate: Int64?
    public var quantity = 1
    public var type: String
    public var appAccountToken: String?
    public var inAppOwnershipType: String
    public var signedDate: Int64
    public var environment: String
    public var transactionReason: String
    public var storefront = "USA"
    public var storefrontId = "143441"
    public var price: Int64
    public var currency: String
    public var revocationDate: Int64?
    public var revocationReason: Int?
    public var revocationType: String?
    public var revocationPercentage: Int?
    public var offerType: Int?
    public var offerIdentifier: String?
    public var offerDiscountType: String?
}

public struct RenewalDocument: Codable, Sendable {
    public var originalTransactionId: String
    public var productId: String
    public var autoRenewProductId: String
    public var autoRenewStatus: Int
    public var expirationIntent: Int?
    public var isInBillingRetryPeriod: Bool?
    public var gracePeriodExpiresDate: Int64?
    public var priceIncreaseStatus: Int?
    public var renewalPrice: Int64
    public var currency: String
    public var renewalDate: Int64
    public var recentSubscriptionStartDate: Int64
    public var appAccountToken: String?
    public var appTransactionId: String
    public var signedDate: Int64
    public var environment: String
}
