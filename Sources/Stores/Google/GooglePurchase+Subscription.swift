public import Domain

extension GooglePurchase {
    /// Reads `SubscriptionPurchaseV2`; nil if it is not one.
    public init?(subscription body: [UInt8], token: String, package: String, catalog: Catalog, readAt: Instant) {
        guard let purchase = try? StoreObject(body), let said = purchase.text("subscriptionState") else { return nil }
        let listed = GooglePurchase.items(purchase.objects("lineItems"), in: catalog)
        // A deferred replacement stands beside the old item without a date until it begins, and so may the old one after.
        let dated = listed.filter { $0.1.date("expiryTime") != nil }
        let items = dated.isEmpty ? listed : dated
        self.init(items, token: token, package: package, readAt: readAt) { one, item in
            one.state = GooglePurchase.states[said]
            // The state is that of the whole purchase, but one of several products may end before the others.
            if items.count > 1, one.state == .active, GooglePurchase.isEnding(item) { one.state = .cancelled }
            one.take(purchase, item: item, state: said)
        }
    }

    private static func isEnding(_ item: StoreObject) -> Bool {
        item.has("deferredItemRemoval") || item.object("autoRenewingPlan")?.flag("autoRenewEnabled") == false
    }

    private mutating func take(_ purchase: StoreObject, item: StoreObject, state said: String) {
        strangeState = state == nil ? said : nil
        purchasedAt = purchase.date("startTime")
        order = item.text("latestSuccessfulOrderId") ?? purchase.text("latestOrderId")
        isTest = purchase.has("testPurchase")
        isUnacknowledged = purchase.text("acknowledgementState") == "ACKNOWLEDGEMENT_STATE_PENDING"
        take(item)
        takeBuyer(purchase)
        endReason = GooglePurchase.endReason(purchase.object("canceledStateContext"), item: item)
        if said == "SUBSCRIPTION_STATE_PENDING_PURCHASE_CANCELED" { neverBegan() }
    }

    private mutating func take(_ item: StoreObject) {
        let plan = item.object("autoRenewingPlan")
        autoRenew = plan?.flag("autoRenewEnabled") ?? false && !item.has("deferredItemRemoval")
        isPrepaid = item.has("prepaidPlan")
        accessUntil = item.date("expiryTime")
        pendingProduct = item.object("deferredItemReplacement")?.text("productId").flatMap { $0 == product ? nil : $0 }
        price = plan?.object("recurringPrice").flatMap { GooglePurchase.price($0) }
        offer = GooglePurchase.offer(item)
        offerID = item.object("offerDetails")?.text("offerId")
        let phase = item.object("offerPhase")
        isFullyPriced = phase?.has("introductoryPrice") != true && phase?.has("prorationPeriod") != true
        let answers = [
            plan?.object("priceChangeDetails")?.text("priceChangeState"),
            plan?.object("priceStepUpConsentDetails")?.text("state"),
        ]
        isPriceAccepted = answers.contains { ["CONFIRMED", "APPLIED", "COMPLETED"].contains($0) }
    }

    private mutating func takeBuyer(_ purchase: StoreObject) {
        let outside = purchase.object("outOfAppPurchaseContext")
        let expired = outside?.text("expiredPurchaseToken", limit: GooglePurchase.tokenLimit)
        previousToken = purchase.text("linkedPurchaseToken", limit: GooglePurchase.tokenLimit) ?? expired
        isResubscription = expired != nil
        let buyer =
            purchase.object("externalAccountIdentifiers")
            ?? outside?.object("expiredExternalAccountIdentifiers")
        account = buyer?.text("obfuscatedExternalAccountId")
    }

    /// The payment never came, so the purchase that it was to replace is still valid.
    private mutating func neverBegan() {
        previousToken = nil
        accessUntil = nil
        autoRenew = false
        pendingProduct = nil
    }

    private static let states: [String: ContractState] = [
        "SUBSCRIPTION_STATE_PENDING": .pending, "SUBSCRIPTION_STATE_ACTIVE": .active,
        "SUBSCRIPTION_STATE_IN_GRACE_PERIOD": .inGracePeriod, "SUBSCRIPTION_STATE_ON_HOLD": .inBillingRetry,
        "SUBSCRIPTION_STATE_PAUSED": .paused, "SUBSCRIPTION_STATE_CANCELED": .cancelled,
        "SUBSCRIPTION_STATE_EXPIRED": .expired, "SUBSCRIPTION_STATE_PENDING_PURCHASE_CANCELED": .expired,
    ]

    private static func offer(_ item: StoreObject) -> String? {
        let phase = item.object("offerPhase")
        if phase?.has("freeTrial") == true { return "trial" }
        if phase?.has("introductoryPrice") == true { return "introductory" }
        return item.object("offerDetails")?.text("offerId").map { _ in "offer" }
    }

    /// If a user does not accept a higher price, the subscription ends, and Google calls that initiated by the system.
    private static func endReason(_ context: StoreObject?, item: StoreObject) -> String {
        guard let context else { return "other" }
        if context.has("userInitiatedCancellation") { return "voluntary" }
        if context.has("replacementCancellation") { return "replaced" }
        guard context.has("systemInitiatedCancellation") else { return "other" }
        let change = item.object("autoRenewingPlan")?.object("priceChangeDetails")
        let isRise = change?.text("priceChangeMode") == "PRICE_INCREASE"
        return isRise && change?.text("priceChangeState") == "OUTSTANDING" ? "price" : "billing"
    }

    /// `google.type.Money` in thousandths; Google gives whole units and billionths.
    private static func price(_ money: StoreObject) -> (amount: Int64, currency: String)? {
        let units = money.integer("units") ?? 0
        let billionths = money.integer("nanos") ?? 0
        guard let currency = money.text("currencyCode"), units.magnitude < 1_000_000_000_000,
            billionths.magnitude < 1_000_000_000
        else { return nil }
        return (units * 1000 + billionths / 1_000_000, currency)
    }
}
