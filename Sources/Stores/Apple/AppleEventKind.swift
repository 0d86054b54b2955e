internal import Domain

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
