import Domain
import Encoding

/// `responseBodyV2DecodedPayload`: the outer document.
struct AppleNotification: SignedDocument {
    let type: String
    let subtype: String?
    let id: String
    let signedAt: Instant?
    /// The app and environment that it is for. Nil unless exactly one of the four members that name them is present.
    let claims: AppleClaims?
    let status: Int64?
    /// Why the customer wants the money back: an open set of words.
    let consumptionRequestReason: String?
    let signedTransactionInfo: String?
    let signedRenewalInfo: String?
    let signedAppTransactionInfo: String?

    init(_ document: StoreObject) throws(VerificationError) {
        type = try document.statedString("notificationType")
        subtype = try document.string("subtype")
        id = try document.statedString("notificationUUID")
        signedAt = try document.appleDate("signedDate")
        let (data, appData) = (try document.part("data"), try document.part("appData"))
        status = try data?.wholeNumber("status")
        consumptionRequestReason = data?.text("consumptionRequestReason")
        signedTransactionInfo = try data?.string("signedTransactionInfo")
        signedRenewalInfo = try data?.string("signedRenewalInfo")
        signedAppTransactionInfo = try appData?.string("signedAppTransactionInfo")
        let token = try AppleClaims(token: document.part("externalPurchaseToken"))
        let summary = try AppleClaims(document.part("summary"))
        let all = [try AppleClaims(data), summary, token, try AppleClaims(appData)].compactMap(\.self)
        claims = all.count == 1 ? all[0] : nil
    }
}

/// The posted body: `{"signedPayload": JWS}`. Version 1 has other members and no signature.
extension AppleNotification {
    static func payload(of body: [UInt8]) throws(VerificationError) -> String {
        let object = try StoreObject(body)
        guard object.has("signedPayload") else {
            let isVersionOne = object["unified_receipt"] != nil || object["notification_type"] != nil
            throw .malformed(isVersionOne ? .versionOne : .missingSignedPayload)
        }
        guard let payload = object["signedPayload"]?.text else { throw .malformed(.invalidJSON) }
        return payload
    }

    static func body(_ signedPayload: String) -> [UInt8] {
        Array(#"{"signedPayload":\#(JSONLiteral.literal(signedPayload))}"#.utf8)
    }
}

/// The app and environment that a document names.
struct AppleClaims {
    var bundle: String?
    var app: Int64?
    var environment: String?
}

extension AppleClaims {
    init?(_ object: StoreObject?) throws(VerificationError) {
        guard let object else { return nil }
        bundle = try object.string("bundleId")
        app = try object.wholeNumber("appAppleId")
        environment = try object.string("environment")
    }

    /// A token does not state its environment, but the id's prefix does.
    init?(token: StoreObject?) throws(VerificationError) {
        guard let token else { return nil }
        bundle = try token.string("bundleId")
        app = try token.wholeNumber("appAppleId")
        let isSandbox = try token.string("externalPurchaseId")?.hasPrefix("SANDBOX") ?? false
        environment = (isSandbox ? StoreEnvironment.sandbox : .production).rawValue
    }
}

extension EventKind {
    /// Our name for Apple's type and subtype. Both are open sets: an unknown subtype gets the meaning of its type alone
    /// if that claims nothing wrong; everything else is `providerUnknown`. State never depends on it.
    init(appleType type: String, subtype: String?, isFamilyShared: Bool) {
        let isGranted = isFamilyShared && (type == "SUBSCRIBED" || type == "ONE_TIME_CHARGE")
        let known = EventKind.ofApple["\(type)/\(subtype ?? "")"] ?? EventKind.ofApple[type]
        self = isGranted ? .familyGranted : known ?? .providerUnknown
    }

    /// By type and subtype, which is empty where there must be none, or by the type alone.
    private static let ofApple: [String: EventKind] = [
        "SUBSCRIBED/RESUBSCRIBE": .subscriptionResubscribed, "SUBSCRIBED": .subscriptionStarted,
        "DID_RENEW/BILLING_RECOVERY": .subscriptionRecovered, "DID_RENEW": .subscriptionRenewed,
        "DID_CHANGE_RENEWAL_PREF/UPGRADE": .planChanged, "OFFER_REDEEMED/UPGRADE": .planChanged,
        "DID_CHANGE_RENEWAL_PREF/DOWNGRADE": .planChangeScheduled, "OFFER_REDEEMED/DOWNGRADE": .planChangeScheduled,
        "DID_CHANGE_RENEWAL_PREF/": .planChangeCancelled, "OFFER_REDEEMED": .offerApplied,
        "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED": .autoRenewOff,
        "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED": .autoRenewOn,
        "DID_FAIL_TO_RENEW/GRACE_PERIOD": .graceStarted, "DID_FAIL_TO_RENEW/": .billingRetry,
        "GRACE_PERIOD_EXPIRED": .billingRetry, "EXPIRED": .subscriptionExpired,
        "RENEWAL_EXTENDED": .subscriptionExtended, "RENEWAL_EXTENSION/SUMMARY": .extensionSummary,
        "RENEWAL_EXTENSION/FAILURE": .extensionFailed, "PRICE_INCREASE/PENDING": .priceChangePending,
        "PRICE_CHANGE": .priceChangePending, "PRICE_INCREASE/ACCEPTED": .priceChangeAccepted,
        "ONE_TIME_CHARGE": .purchaseCompleted, "CONSUMPTION_REQUEST": .refundRequested, "REFUND": .refundCompleted,
        "REFUND_DECLINED": .refundDeclined, "REFUND_REVERSED": .refundReversed, "REVOKE": .familyRevoked,
        "METADATA_UPDATE": .contractUpdated, "MIGRATION": .contractUpdated, "EXTERNAL_PURCHASE_TOKEN": .externalToken,
        "RESCIND_CONSENT": .consentRescinded, "TEST": .providerTest,
    ]

    /// The kind of a transaction that an app posted, without a notification.
    init(appleTransaction transaction: AppleTransaction) {
        let isRenewal = transaction.transactionReason == "RENEWAL"
        self.init(ofApple: transaction.kind, isRenewal: isRenewal, isRevoked: transaction.revokedAt != nil)
        if transaction.isFamilyShared, transaction.revokedAt == nil { self = .familyGranted }
    }

    /// The kind of a purchase of which there is no event.
    init(ofApple kind: ProductKind, isRenewal: Bool, isRevoked: Bool) {
        self =
            switch kind {
            case _ where isRevoked: .refundCompleted
            case .subscription: isRenewal ? .subscriptionRenewed : .subscriptionStarted
            case .nonRenewing, .nonConsumable, .consumable: .purchaseCompleted
            }
    }
}
