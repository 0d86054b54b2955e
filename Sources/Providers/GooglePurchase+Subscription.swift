public import Domain

extension GooglePurchase {
    /// Reads `SubscriptionPurchaseV2`. Nil when it is none.
    public init?(subscription body: [UInt8], token: String, package: String, catalog: Catalog, readAt: Instant) {
        guard let purchase = try? StoreObject(body), let state = purchase.text("subscriptionState") else { return nil }
        // Add-ons come beside the base item: the one that reaches furthest speaks for the purchase.
        let items = purchase.objects("lineItems").filter { $0.text("productId") != nil }
        let newest = items.max { ($0.date("expiryTime") ?? readAt) < ($1.date("expiryTime") ?? readAt) }
        guard let item = newest, let product = item.text("productId") else { return nil }
        self.init(
            token: token,
            package: package,
            kind: .subscription,
            product: product,
            state: GooglePurchase.states[state],
            readAt: readAt
        )
        let plan = item.object("autoRenewingPlan")
        autoRenew = plan?.flag("autoRenewEnabled") ?? false
        accessUntil = item.date("expiryTime")
        pendingProduct = item.object("deferredItemReplacement")?.text("productId").flatMap { $0 == product ? nil : $0 }
        purchasedAt = purchase.date("startTime")
        order = item.text("latestSuccessfulOrderId") ?? purchase.text("latestOrderId")
        price = plan?.object("recurringPrice").flatMap { GooglePurchase.price($0) }
        let outside = purchase.object("outOfAppPurchaseContext")
        let expired = outside?.text("expiredPurchaseToken", limit: GooglePurchase.tokenLimit)
        previousToken = purchase.text("linkedPurchaseToken", limit: GooglePurchase.tokenLimit) ?? expired
        isResubscription = expired != nil
        let buyer =
            purchase.object("externalAccountIdentifiers")
            ?? outside?.object("expiredExternalAccountIdentifiers")
        account = buyer?.text("obfuscatedExternalAccountId")
        isTest = purchase.has("testPurchase")
        isUnacknowledged = purchase.text("acknowledgementState") == "ACKNOWLEDGEMENT_STATE_PENDING"
    }

    static let tokenLimit = 1024

    private static let states: [String: ContractState] = [
        "SUBSCRIPTION_STATE_PENDING": .pending, "SUBSCRIPTION_STATE_ACTIVE": .active,
        "SUBSCRIPTION_STATE_IN_GRACE_PERIOD": .inGracePeriod, "SUBSCRIPTION_STATE_ON_HOLD": .inBillingRetry,
        "SUBSCRIPTION_STATE_PAUSED": .paused, "SUBSCRIPTION_STATE_CANCELED": .cancelled,
        "SUBSCRIPTION_STATE_EXPIRED": .expired, "SUBSCRIPTION_STATE_PENDING_PURCHASE_CANCELED": .expired,
    ]

    /// `google.type.Money`: whole units and billionths, as thousandths.
    private static func price(_ money: StoreObject) -> (amount: Int64, currency: String)? {
        let units = money.integer("units") ?? 0
        guard let currency = money.text("currencyCode"), abs(units) < 1_000_000_000_000 else { return nil }
        let billionths = money.integer("nanos") ?? 0
        guard abs(billionths) < 1_000_000_000 else { return nil }
        return (units * 1000 + billionths / 1_000_000, currency)
    }
}
