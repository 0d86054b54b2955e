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

    private init(_ type: String, subtype: String?, kind: EventKind, state: ContractState?) {
        self.type = type
        self.subtype = subtype
        self.kind = kind
        self.state = state
    }

    private init(nothing type: String, subtype: String?, kind: EventKind) {
        self.init(type, subtype: subtype, kind: kind, state: nil)
        saysNothingOfAContract = true
    }

    static let all = purchases + plans + troubles + money + others

    private static let purchases = [
        StoreEvent("SUBSCRIBED", subtype: "INITIAL_BUY", kind: .subscriptionStarted, state: .active),
        StoreEvent("SUBSCRIBED", subtype: "RESUBSCRIBE", kind: .subscriptionResubscribed, state: .active),
        StoreEvent("DID_RENEW", subtype: nil, kind: .subscriptionRenewed, state: .active),
        StoreEvent("DID_RENEW", subtype: "BILLING_RECOVERY", kind: .subscriptionRecovered, state: .active),
        StoreEvent("RENEWAL_EXTENDED", subtype: nil, kind: .subscriptionExtended, state: .active),
        StoreEvent("RENEWAL_EXTENSION", subtype: "FAILURE", kind: .extensionFailed, state: .active),
        StoreEvent("ONE_TIME_CHARGE", subtype: nil, kind: .purchaseCompleted, state: nil),
    ]

    private static let plans = [
        StoreEvent("DID_CHANGE_RENEWAL_PREF", subtype: "UPGRADE", kind: .planChanged, state: .active),
        StoreEvent("DID_CHANGE_RENEWAL_PREF", subtype: "DOWNGRADE", kind: .planChangeScheduled, state: .active),
        StoreEvent("DID_CHANGE_RENEWAL_PREF", subtype: nil, kind: .planChangeCancelled, state: .active),
        StoreEvent("DID_CHANGE_RENEWAL_STATUS", subtype: "AUTO_RENEW_DISABLED", kind: .autoRenewOff, state: .cancelled),
        StoreEvent("DID_CHANGE_RENEWAL_STATUS", subtype: "AUTO_RENEW_ENABLED", kind: .autoRenewOn, state: .active),
        StoreEvent("OFFER_REDEEMED", subtype: "UPGRADE", kind: .planChanged, state: .active),
        StoreEvent("OFFER_REDEEMED", subtype: "DOWNGRADE", kind: .planChangeScheduled, state: .active),
        StoreEvent("OFFER_REDEEMED", subtype: nil, kind: .offerApplied, state: .active),
    ]

    private static let troubles = [
        StoreEvent("DID_FAIL_TO_RENEW", subtype: "GRACE_PERIOD", kind: .graceStarted, state: .inGracePeriod),
        StoreEvent("DID_FAIL_TO_RENEW", subtype: nil, kind: .billingRetry, state: .inBillingRetry),
        StoreEvent("GRACE_PERIOD_EXPIRED", subtype: nil, kind: .billingRetry, state: .inBillingRetry),
        StoreEvent("EXPIRED", subtype: "VOLUNTARY", kind: .subscriptionExpired, state: .expired),
        StoreEvent("EXPIRED", subtype: "BILLING_RETRY", kind: .subscriptionExpired, state: .expired),
        StoreEvent("EXPIRED", subtype: "PRICE_INCREASE", kind: .subscriptionExpired, state: .expired),
        StoreEvent("EXPIRED", subtype: "PRODUCT_NOT_FOR_SALE", kind: .subscriptionExpired, state: .expired),
        StoreEvent("EXPIRED", subtype: nil, kind: .subscriptionExpired, state: .expired),
    ]

    private static let money = [
        StoreEvent("PRICE_INCREASE", subtype: "PENDING", kind: .priceChangePending, state: .active),
        StoreEvent("PRICE_INCREASE", subtype: "ACCEPTED", kind: .priceChangeAccepted, state: .active),
        StoreEvent("PRICE_CHANGE", subtype: nil, kind: .priceChangePending, state: .active),
        StoreEvent("CONSUMPTION_REQUEST", subtype: nil, kind: .refundRequested, state: .active),
        StoreEvent("REFUND", subtype: nil, kind: .refundCompleted, state: .revoked),
        StoreEvent("REFUND_DECLINED", subtype: nil, kind: .refundDeclined, state: .active),
        StoreEvent("REFUND_REVERSED", subtype: nil, kind: .refundReversed, state: .active),
        StoreEvent("REVOKE", subtype: nil, kind: .familyRevoked, state: .revoked),
    ]

    private static let others = [
        StoreEvent("METADATA_UPDATE", subtype: nil, kind: .contractUpdated, state: .active),
        StoreEvent("MIGRATION", subtype: nil, kind: .contractUpdated, state: .active),
        StoreEvent("SOMETHING_NEW", subtype: nil, kind: .providerUnknown, state: .active),
        StoreEvent("SOMETHING_NEW", subtype: "WITH_A_SUBTYPE", kind: .providerUnknown, state: .active),
        StoreEvent("DID_CHANGE_RENEWAL_STATUS", subtype: "SOMETHING_NEW", kind: .providerUnknown, state: .cancelled),
        StoreEvent(nothing: "TEST", subtype: nil, kind: .providerTest),
        StoreEvent(nothing: "RENEWAL_EXTENSION", subtype: "SUMMARY", kind: .extensionSummary),
        StoreEvent(nothing: "EXTERNAL_PURCHASE_TOKEN", subtype: "CREATED", kind: .externalToken),
        StoreEvent(nothing: "EXTERNAL_PURCHASE_TOKEN", subtype: "ACTIVE_TOKEN_REMINDER", kind: .externalToken),
        StoreEvent(nothing: "EXTERNAL_PURCHASE_TOKEN", subtype: "UNREPORTED", kind: .externalToken),
        StoreEvent(nothing: "RESCIND_CONSENT", subtype: nil, kind: .consentRescinded),
    ]
}
