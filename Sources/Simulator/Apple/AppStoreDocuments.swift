/// Apple's documents, member for member as they are sent
/// (https://developer.apple.com/documentation/appstoreservernotifications). Dates are in milliseconds, prices in
/// thousandths.
struct NotificationDocument: Encodable {
    var notificationType: String
    var subtype: String?
    var notificationUUID: String
    var version = "2.0"
    var signedDate: Int64
    var data: DataDocument?
    var summary: SummaryDocument?
    var externalPurchaseToken: TokenDocument?
    var appData: AppDataDocument?
}

struct DataDocument: Encodable {
    var appAppleId: Int64
    var bundleId: String
    var bundleVersion = "1"
    var environment: String
    var signedTransactionInfo: String?
    var signedRenewalInfo: String?
    var status: Int?
    var consumptionRequestReason: String?
}

struct SummaryDocument: Encodable {
    var environment: String
    var appAppleId: Int64
    var bundleId: String
    var productId: String
    var requestIdentifier: String
    var storefrontCountryCodes = ["USA", "DEU", "JPN"]
    var succeededCount = 5
    var failedCount = 2
}

struct TokenDocument: Encodable {
    var externalPurchaseId: String
    var tokenCreationDate: Int64
    var appAppleId: Int64
    var bundleId: String
    var tokenType = "ACQUISITION"
}

struct AppDataDocument: Encodable {
    var appAppleId: Int64
    var bundleId: String
    var environment: String
    var signedAppTransactionInfo: String
}

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

struct AppTransactionDocument: Encodable {
    var receiptType: String
    var appAppleId: Int64
    var bundleId: String
    var applicationVersion = "1"
    var originalApplicationVersion = "1"
    var receiptCreationDate: Int64
    var originalPurchaseDate: Int64
    var appTransactionId: String
    var originalPlatform = "iOS"
}

/// The body posted to the webhook.
struct PostDocument: Encodable {
    var signedPayload: String
}
