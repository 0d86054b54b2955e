import Domain
import Testing

/// Every documented type and subtype, what we call it, and the state it leaves a running month in.
struct StoreEvent: Sendable, CustomTestStringConvertible {
    var type: String
    var subtype: String?
    var kind: EventKind
    /// Nil for events that carry no status of a subscription.
    var state: ContractState?
    var saysNothingOfAContract = false

    var testDescription: String { subtype.map { "\(type)/\($0)" } ?? type }

    private init(_ type: String, _ subtype: String?, _ kind: EventKind, _ state: ContractState?) {
        self.type = type
        self.subtype = subtype
        self.kind = kind
        self.state = state
    }

    private init(nothing type: String, _ subtype: String?, _ kind: EventKind) {
        self.init(type, subtype, kind, nil)
        saysNothingOfAContract = true
    }

    static let all = purchases + plans + troubles + money + others

    private static let purchases = [
        StoreEvent("SUBSCRIBED", "INITIAL_BUY", .subscriptionStarted, .active),
        StoreEvent("SUBSCRIBED", "RESUBSCRIBE", .subscriptionResubscribed, .active),
        StoreEvent("DID_RENEW", nil, .subscriptionRenewed, .active),
        StoreEvent("DID_RENEW", "BILLING_RECOVERY", .subscriptionRecovered, .active),
        StoreEvent("RENEWAL_EXTENDED", nil, .subscriptionExtended, .active),
        StoreEvent("RENEWAL_EXTENSION", "FAILURE", .extensionFailed, .active),
        StoreEvent("ONE_TIME_CHARGE", nil, .purchaseCompleted, nil),
    ]

    private static let plans = [
        StoreEvent("DID_CHANGE_RENEWAL_PREF", "UPGRADE", .planChanged, .active),
        StoreEvent("DID_CHANGE_RENEWAL_PREF", "DOWNGRADE", .planChangeScheduled, .active),
        StoreEvent("DID_CHANGE_RENEWAL_PREF", nil, .planChangeCancelled, .active),
        StoreEvent("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED", .autoRenewOff, .cancelled),
        StoreEvent("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_ENABLED", .autoRenewOn, .active),
        StoreEvent("OFFER_REDEEMED", "UPGRADE", .planChanged, .active),
        StoreEvent("OFFER_REDEEMED", "DOWNGRADE", .planChangeScheduled, .active),
        StoreEvent("OFFER_REDEEMED", nil, .offerApplied, .active),
    ]

    private static let troubles = [
        StoreEvent("DID_FAIL_TO_RENEW", "GRACE_PERIOD", .graceStarted, .inGracePeriod),
        StoreEvent("DID_FAIL_TO_RENEW", nil, .billingRetry, .inBillingRetry),
        StoreEvent("GRACE_PERIOD_EXPIRED", nil, .billingRetry, .inBillingRetry),
        StoreEvent("EXPIRED", "VOLUNTARY", .subscriptionExpired, .expired),
        StoreEvent("EXPIRED", "BILLING_RETRY", .subscriptionExpired, .expired),
        StoreEvent("EXPIRED", "PRICE_INCREASE", .subscriptionExpired, .expired),
        StoreEvent("EXPIRED", "PRODUCT_NOT_FOR_SALE", .subscriptionExpired, .expired),
        StoreEvent("EXPIRED", nil, .subscriptionExpired, .expired),
    ]

    private static let money = [
        StoreEvent("PRICE_INCREASE", "PENDING", .priceChangePending, .active),
        StoreEvent("PRICE_INCREASE", "ACCEPTED", .priceChangeAccepted, .active),
        StoreEvent("PRICE_CHANGE", nil, .priceChangePending, .active),
        StoreEvent("CONSUMPTION_REQUEST", nil, .refundRequested, .active),
        StoreEvent("REFUND", nil, .refundCompleted, .revoked),
        StoreEvent("REFUND_DECLINED", nil, .refundDeclined, .active),
        StoreEvent("REFUND_REVERSED", nil, .refundReversed, .active),
        StoreEvent("REVOKE", nil, .familyRevoked, .revoked),
    ]

    private static let others = [
        StoreEvent("METADATA_UPDATE", nil, .contractUpdated, .active),
        StoreEvent("MIGRATION", nil, .contractUpdated, .active),
        StoreEvent("SOMETHING_NEW", nil, .providerUnknown, .active),
        StoreEvent("SOMETHING_NEW", "WITH_A_SUBTYPE", .providerUnknown, .active),
        StoreEvent("DID_CHANGE_RENEWAL_STATUS", "SOMETHING_NEW", .providerUnknown, .cancelled),
        StoreEvent(nothing: "TEST", nil, .providerTest),
        StoreEvent(nothing: "RENEWAL_EXTENSION", "SUMMARY", .extensionSummary),
        StoreEvent(nothing: "EXTERNAL_PURCHASE_TOKEN", "CREATED", .externalToken),
        StoreEvent(nothing: "EXTERNAL_PURCHASE_TOKEN", "ACTIVE_TOKEN_REMINDER", .externalToken),
        StoreEvent(nothing: "EXTERNAL_PURCHASE_TOKEN", "UNREPORTED", .externalToken),
        StoreEvent(nothing: "RESCIND_CONSENT", nil, .consentRescinded),
    ]
}
