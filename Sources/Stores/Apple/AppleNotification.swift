import Domain
import Encoding

/// The posted body: `{"signedPayload": JWS}`. Version 1 has other members and no signature.
struct AppleBody {
    let signedPayload: String?
    let isVersionOne: Bool

    init(_ body: [UInt8]) throws(VerificationError) {
        let object = try StoreObject(body)
        guard !object.has("signedPayload") || object["signedPayload"]?.text != nil else {
            throw .malformed(.invalidJSON)
        }
        signedPayload = object["signedPayload"]?.text
        isVersionOne = object["unified_receipt"] != nil || object["notification_type"] != nil
    }

    static func bytes(_ signedPayload: String) -> [UInt8] {
        Array(#"{"signedPayload":\#(JSONLiteral.literal(signedPayload))}"#.utf8)
    }
}

/// `responseBodyV2DecodedPayload`: the outer document.
struct AppleNotification: SignedDocument {
    let notificationType: String
    let subtype: String?
    let notificationUUID: String
    let signedAt: Instant?
    let data: Payload?
    let summary: AppleClaims?
    let externalPurchaseToken: AppleClaims?
    let appData: AppData?

    init(_ document: StoreObject) throws(VerificationError) {
        notificationType = try document.statedString("notificationType")
        subtype = try document.string("subtype")
        notificationUUID = try document.statedString("notificationUUID")
        signedAt = try document.appleDate("signedDate")
        data = try document.part("data").map(Payload.init)
        summary = try document.part("summary").map { object throws(VerificationError) in try AppleClaims(object) }
        externalPurchaseToken = try document.part("externalPurchaseToken").map(AppleClaims.init(token:))
        appData = try document.part("appData").map(AppData.init)
    }

    struct Payload {
        let claims: AppleClaims
        let status: Int64?
        let signedTransactionInfo: String?
        let signedRenewalInfo: String?

        init(_ object: StoreObject) throws(VerificationError) {
            claims = try AppleClaims(object)
            status = try object.wholeNumber("status")
            signedTransactionInfo = try object.string("signedTransactionInfo")
            signedRenewalInfo = try object.string("signedRenewalInfo")
        }
    }

    struct AppData {
        let claims: AppleClaims
        let signedAppTransactionInfo: String?

        init(_ object: StoreObject) throws(VerificationError) {
            claims = try AppleClaims(object)
            signedAppTransactionInfo = try object.string("signedAppTransactionInfo")
        }
    }

    /// The app and environment that it is for. Nil unless exactly one of the four members is present.
    var claims: AppleClaims? {
        let claims = [data?.claims, summary, externalPurchaseToken, appData?.claims].compactMap { $0 }
        return claims.count == 1 ? claims[0] : nil
    }
}

/// The app and environment that a document names.
struct AppleClaims {
    var bundle: String?
    var app: Int64?
    var environment: String?
}

extension AppleClaims {
    init(_ object: StoreObject) throws(VerificationError) {
        bundle = try object.string("bundleId")
        app = try object.wholeNumber("appAppleId")
        environment = try object.string("environment")
    }

    /// A token does not state its environment, but the id's prefix does.
    init(token: StoreObject) throws(VerificationError) {
        let isSandbox = try token.string("externalPurchaseId")?.hasPrefix("SANDBOX") ?? false
        let environment: StoreEnvironment = isSandbox ? .sandbox : .production
        self.init(
            bundle: try token.string("bundleId"),
            app: try token.wholeNumber("appAppleId"),
            environment: environment.rawValue
        )
    }
}

extension EventKind {
    /// Our name for Apple's type and subtype. Both are open sets: an unknown subtype gets the meaning of its type alone
    /// if that claims nothing wrong; everything else is `providerUnknown`. State never depends on it.
    init(appleType type: String, subtype: String?, isFamilyShared: Bool) {
        self =
            switch (type, subtype) {
            case ("SUBSCRIBED", _) where isFamilyShared, ("ONE_TIME_CHARGE", _) where isFamilyShared: .familyGranted
            case ("SUBSCRIBED", "RESUBSCRIBE"): .subscriptionResubscribed
            case ("SUBSCRIBED", _): .subscriptionStarted
            case ("DID_RENEW", "BILLING_RECOVERY"): .subscriptionRecovered
            case ("DID_RENEW", _): .subscriptionRenewed
            case ("DID_CHANGE_RENEWAL_PREF", "UPGRADE"), ("OFFER_REDEEMED", "UPGRADE"): .planChanged
            case ("DID_CHANGE_RENEWAL_PREF", "DOWNGRADE"), ("OFFER_REDEEMED", "DOWNGRADE"): .planChangeScheduled
            case ("DID_CHANGE_RENEWAL_PREF", nil): .planChangeCancelled
            case ("OFFER_REDEEMED", _): .offerApplied
            case ("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED"): .autoRenewOff
            case ("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_ENABLED"): .autoRenewOn
            case ("DID_FAIL_TO_RENEW", "GRACE_PERIOD"): .graceStarted
            case ("DID_FAIL_TO_RENEW", nil), ("GRACE_PERIOD_EXPIRED", _): .billingRetry
            case ("EXPIRED", _): .subscriptionExpired
            case ("RENEWAL_EXTENDED", _): .subscriptionExtended
            case ("RENEWAL_EXTENSION", "SUMMARY"): .extensionSummary
            case ("RENEWAL_EXTENSION", "FAILURE"): .extensionFailed
            default: EventKind(otherAppleType: type, subtype: subtype)
            }
    }

    private init(otherAppleType type: String, subtype: String?) {
        self =
            switch (type, subtype) {
            case ("PRICE_INCREASE", "PENDING"), ("PRICE_CHANGE", _): .priceChangePending
            case ("PRICE_INCREASE", "ACCEPTED"): .priceChangeAccepted
            case ("ONE_TIME_CHARGE", _): .purchaseCompleted
            case ("CONSUMPTION_REQUEST", _): .refundRequested
            case ("REFUND", _): .refundCompleted
            case ("REFUND_DECLINED", _): .refundDeclined
            case ("REFUND_REVERSED", _): .refundReversed
            case ("REVOKE", _): .familyRevoked
            case ("METADATA_UPDATE", _), ("MIGRATION", _): .contractUpdated
            case ("EXTERNAL_PURCHASE_TOKEN", _): .externalToken
            case ("RESCIND_CONSENT", _): .consentRescinded
            case ("TEST", _): .providerTest
            default: .providerUnknown
            }
    }

    /// The kind of a transaction that an app posted, without a notification.
    init(appleTransaction transaction: AppleTransaction) {
        self =
            switch (transaction.kind, transaction.transactionReason) {
            case _ where transaction.revokedAt != nil: .refundCompleted
            case _ where transaction.isFamilyShared: .familyGranted
            case (.subscription, "RENEWAL"): .subscriptionRenewed
            case (.subscription, _): .subscriptionStarted
            default: .purchaseCompleted
            }
    }
}
