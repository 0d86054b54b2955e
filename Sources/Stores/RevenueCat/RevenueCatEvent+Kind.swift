internal import Domain

extension RevenueCatEvent {
    /// Our name for it. RENEWAL is also a recovery, a resumption or an upgrade: only the previous state tells which.
    var kind: EventKind {
        switch type {
        case "INITIAL_PURCHASE", "NON_RENEWING_PURCHASE", "RENEWAL", "PRODUCT_CHANGE": purchaseKind
        case "CANCELLATION": cancellationKind
        case "UNCANCELLATION": .autoRenewOn
        case "BILLING_ISSUE": graceUntil == nil && !isPaidAhead ? .billingRetry : .graceStarted
        case "SUBSCRIPTION_PAUSED": .pauseScheduled
        case "EXPIRATION": reason == "SUBSCRIPTION_PAUSED" ? .paused : .subscriptionExpired
        case "SUBSCRIPTION_EXTENDED": .subscriptionExtended
        case "TRANSFER": .contractTransferred
        case "TEMPORARY_ENTITLEMENT_GRANT": .accessProvisional
        case "REFUND_REVERSED": .refundReversed
        case "SUBSCRIBER_ALIAS": .contractUpdated
        case "PRICE_INCREASE_CONSENT_REQUIRED": .priceChangePending
        case "PRICE_INCREASE_CONSENT_APPROVED": .priceChangeAccepted
        case "TEST": .providerTest
        default: .providerUnknown
        }
    }

    /// The store's reason, or else the type of the period.
    var subtype: String? { reason ?? (periodType == "NORMAL" ? nil : periodType) }

    private var isPaidAhead: Bool { expiresAt.map { $0 > happenedAt } ?? false }

    private var purchaseKind: EventKind {
        switch type {
        case "RENEWAL": .subscriptionRenewed
        case "PRODUCT_CHANGE": .planChangeScheduled
        case _ where isFamilyShared: .familyGranted
        case "NON_RENEWING_PURCHASE": .purchaseCompleted
        case _ where originalTransaction != nil && transaction != nil && originalTransaction != transaction:
            .subscriptionResubscribed
        default: .subscriptionStarted
        }
    }

    private var cancellationKind: EventKind {
        if isRefund { return isFamilyShared ? .familyRevoked : .refundCompleted }
        return reason == "BILLING_ERROR" ? .billingRetry : .autoRenewOff
    }
}
