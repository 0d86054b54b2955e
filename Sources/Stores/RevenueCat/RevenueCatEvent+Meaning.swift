internal import Domain

extension RevenueCatEvent {
    /// The event's statement about its contract; nil when it belongs to none.
    ///
    /// CANCELLATION for BILLING_ERROR has no charge, and no state before the period ends: BILLING_ISSUE or EXPIRATION says
    /// what follows.
    func observation(_ catalog: Catalog) -> Observation? {
        guard RevenueCatEvent.purchaseTypes.contains(type), let product = product(catalog),
            let lineage = originalTransaction ?? transaction
        else { return nil }
        let kind = kind(of: product, in: catalog)
        let key = ContractKey(provider: .revenuecat, environment: environment, app: app, lineage: lineage)
        return Observation(
            contract: key,
            kind: kind,
            token: customer.token,
            account: customer.account,
            user: customer.user,
            previousLineage: provisionalLineage,
            isFamilyShared: isFamilyShared,
            isPurchase: type == "INITIAL_PURCHASE" || type == "NON_RENEWING_PURCHASE",
            transaction: charge(of: product, kind: kind),
            snapshot: kind == .subscription ? snapshot(of: product) : endOfPurchase(product)
        )
    }

    /// A provisional grant may only know its transaction, so the event that states the lineage replaces the grant.
    private var provisionalLineage: String? {
        originalTransaction == nil || originalTransaction == transaction ? nil : transaction
    }

    /// Google's products are `subscription:base-plan`; the catalog may list that, or only the subscription.
    private func product(_ catalog: Catalog) -> String? {
        guard let product, store == "PLAY_STORE", catalog[product] == nil, let cut = product.firstIndex(of: ":") else {
            return product
        }
        let subscription = String(product[..<cut])
        return catalog[subscription] == nil ? product : subscription
    }

    /// RevenueCat only states whether a purchase ends, and whether it renews.
    private func kind(of product: String, in catalog: Catalog) -> ProductKind {
        // Whatever was bought, a grant gives access for a limited time, without a charge that would outlast it.
        if type == "TEMPORARY_ENTITLEMENT_GRANT" { return .subscription }
        let isOnce = type == "NON_RENEWING_PURCHASE" || periodType == "PROMOTIONAL" || store == "PROMOTIONAL"
        let listed = catalog[product]?.kind
        if isOnce {
            return listed.flatMap { $0 == .subscription ? nil : $0 }
                ?? (expiresAt == nil ? .nonConsumable : .nonRenewing)
        }
        if let listed { return listed }
        let mayBeOnce = isRefund || type == "EXPIRATION" || type == "REFUND_REVERSED"
        return mayBeOnce && expiresAt == nil ? .nonConsumable : .subscription
    }

    /// Refunded by the store's support, by RevenueCat or at the web's billing, or, for a family member, no longer shared.
    var isRefund: Bool {
        guard type == "CANCELLATION" else { return false }
        if reason == "CUSTOMER_SUPPORT" { return true }
        return isFamilyShared && !["UNSUBSCRIBE", "BILLING_ERROR", "PRICE_INCREASE"].contains(reason)
    }

    /// For a subscription, only its purchases, which have prices; the snapshot states everything later. A
    /// subscription's charge without an end is dropped, because it would open access forever.
    private func charge(of product: String, kind: ProductKind) -> Transaction? {
        guard let id = transaction ?? originalTransaction else { return nil }
        let isSubscription = kind == .subscription
        if isSubscription, expiresAt == nil || type != "INITIAL_PURCHASE" && type != "RENEWAL" { return nil }
        return Transaction(
            id: id,
            product: product,
            purchasedAt: chargedAt,
            expiresAt: kind == .nonConsumable || kind == .consumable ? nil : expiresAt,
            revokedAt: isRefund ? happenedAt : nil,
            // Of a refund it is negative: the reason says that it is one.
            price: price.map(abs),
            currency: currency,
            signedAt: isSubscription ? chargedAt : happenedAt
        )
    }

    /// Never later than the event itself.
    var boughtAt: Instant { min(purchasedAt ?? happenedAt, happenedAt) }

    /// The end of a one-time purchase that was granted for a limited time.
    private func endOfPurchase(_ product: String) -> Snapshot? {
        guard type == "EXPIRATION" else { return nil }
        return Snapshot(
            state: .expired,
            product: product,
            autoRenew: false,
            accessUntil: min(expiresAt ?? happenedAt, happenedAt),
            signedAt: happenedAt
        )
    }
}

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
