internal import Domain

extension RevenueCatEvent {
    /// What the event says of its contract; nil when it is of none.
    ///
    /// CANCELLATION for BILLING_ERROR has neither a state nor a charge: BILLING_ISSUE or EXPIRATION says what follows.
    func observation(_ catalog: Catalog) -> Observation? {
        guard RevenueCatEvent.purchaseTypes.contains(type), let product = product(catalog),
            let lineage = originalTransaction ?? transaction
        else { return nil }
        let kind = kind(of: product, catalog)
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
            transaction: charge(of: product, kind),
            snapshot: kind == .subscription ? snapshot(of: product) : endOfPurchase(product)
        )
    }

    /// A provisional grant may know its transaction only: what tells the lineage takes the grant's place.
    private var provisionalLineage: String? {
        originalTransaction == nil || originalTransaction == transaction ? nil : transaction
    }

    /// Google's products are `subscription:base-plan`; the catalogue may name both, or the subscription.
    private func product(_ catalog: Catalog) -> String? {
        guard let product, store == "PLAY_STORE", catalog[product] == nil, let cut = product.firstIndex(of: ":") else {
            return product
        }
        let subscription = String(product[..<cut])
        return catalog[subscription] == nil ? product : subscription
    }

    /// RevenueCat tells only whether a purchase ends, and whether it renews itself.
    private func kind(of product: String, _ catalog: Catalog) -> ProductKind {
        // Whatever was bought, a grant is access for a time, and no charge that would outlast it.
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

    /// Refunded by the store's support; for a family's member, no longer shared.
    var isRefund: Bool {
        guard type == "CANCELLATION" else { return false }
        if reason == "CUSTOMER_SUPPORT" { return true }
        return isFamilyShared && !["UNSUBSCRIBE", "BILLING_ERROR", "PRICE_INCREASE"].contains(reason)
    }

    /// A subscription's purchases only: their prices. What became of them, the snapshot says. One without an end is
    /// none: it would open access for ever.
    private func charge(of product: String, _ kind: ProductKind) -> Transaction? {
        guard let id = transaction ?? originalTransaction else { return nil }
        let isSubscription = kind == .subscription
        if isSubscription, expiresAt == nil || type != "INITIAL_PURCHASE" && type != "RENEWAL" { return nil }
        return Transaction(
            id: id,
            product: product,
            purchasedAt: chargedAt,
            expiresAt: kind == .nonConsumable || kind == .consumable ? nil : expiresAt,
            revokedAt: isRefund ? happenedAt : nil,
            price: price,
            currency: currency,
            signedAt: isSubscription ? chargedAt : happenedAt
        )
    }

    /// Not after the event that tells of it.
    var boughtAt: Instant { min(purchasedAt ?? happenedAt, happenedAt) }

    /// A purchase that was granted for a time and is over.
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
