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

struct TransactionDocument: Codable {
    var transactionId: String
    var originalTransactionId: String
    var previousOriginalTransactionId: String?
    var webOrderLineItemId: String?
    var appTransactionId: String
    var bundleId: String
    var productId: String
    var subscriptionGroupIdentifier: String?
    var purchaseDate: Int64
    var originalPurchaseDate: Int64
    var expiresDate: Int64?
    var quantity = 1
    var type: String
    var appAccountToken: String?
    var inAppOwnershipType: String
    var signedDate: Int64
    var environment: String
    var transactionReason: String
    var storefront = "USA"
    var storefrontId = "143441"
    var price: Int64
    var currency: String
    var revocationDate: Int64?
    var revocationReason: Int?
    var revocationType: String?
    var revocationPercentage: Int?
    var offerType: Int?
    var offerIdentifier: String?
    var offerDiscountType: String?
}

struct RenewalDocument: Codable {
    var originalTransactionId: String
    var productId: String
    var autoRenewProductId: String
    var autoRenewStatus: Int
    var expirationIntent: Int?
    var isInBillingRetryPeriod: Bool?
    var gracePeriodExpiresDate: Int64?
    var priceIncreaseStatus: Int?
    var renewalPrice: Int64
    var currency: String
    var renewalDate: Int64
    var recentSubscriptionStartDate: Int64
    var appAccountToken: String?
    var appTransactionId: String
    var signedDate: Int64
    var environment: String
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
