public import Domain

extension GooglePurchase {
    /// Reads `ProductPurchaseV2`
    /// (https://developers.google.com/android-publisher/api-ref/rest/v3/purchases.productsv2). Nil when it is none.
    public init?(product body: [UInt8], token: String, package: String, catalog: Catalog, readAt: Instant) {
        guard let purchase = try? StoreObject(body),
            let said = purchase.object("purchaseStateContext")?.text("purchaseState"),
            let item = purchase.objects("productLineItem").first, let product = item.text("productId")
        else { return nil }
        let purchasedAt = purchase.date("purchaseCompletionTime")
        let state = GooglePurchase.state(said, isPaid: purchasedAt != nil)
        let listed = catalog[product]?.kind ?? .nonConsumable
        self.init(
            token: token,
            package: package,
            kind: listed == .subscription ? .nonConsumable : listed,
            product: product,
            state: state,
            readAt: readAt
        )
        strangeState = state == nil ? said : nil
        self.purchasedAt = purchasedAt
        order = purchase.text("orderId")
        quantity = Int(clamping: max(1, item.object("productOfferDetails")?.integer("quantity") ?? 1))
        account = purchase.text("obfuscatedExternalAccountId")
        isTest = purchase.has("testPurchaseContext")
        isUnacknowledged = purchase.text("acknowledgementState") == "ACKNOWLEDGEMENT_STATE_PENDING"
    }

    /// A cancelled one that was paid is refunded; one that never was, a payment that did not come.
    private static func state(_ said: String, isPaid: Bool) -> ContractState? {
        switch (said, isPaid) {
        case ("PURCHASED", true): .owned
        case ("PENDING", _): .pending
        case ("CANCELLED", true), ("CANCELED", true): .revoked
        case ("CANCELLED", false), ("CANCELED", false): .expired
        default: nil
        }
    }
}
