public import Domain

extension GooglePurchase {
    /// Reads `ProductPurchaseV2`
    /// (https://developers.google.com/android-publisher/api-ref/rest/v3/purchases.productsv2). Nil if it is not one.
    public init?(product body: [UInt8], token: String, package: String, catalog: Catalog, readAt: Instant) {
        guard let purchase = try? StoreObject(body),
            let said = purchase.object("purchaseStateContext")?.text("purchaseState")
        else { return nil }
        let state = GooglePurchase.state(said, isPaid: purchase.date("purchaseCompletionTime") != nil)
        let all = GoogleLineItems(purchase.objects("productLineItem"), catalog: catalog).items.map { product, item in
            let listed = catalog[product]?.kind ?? .nonConsumable
            let offer = item.object("productOfferDetails")
            let bought = max(1, offer?.integer("quantity") ?? 1)
            // The quantity that was not refunded: voids by quantity take one after another.
            let left = min(bought, max(0, offer?.integer("refundableQuantity") ?? bought))
            var one = GooglePurchase(
                token: token,
                package: package,
                kind: listed == .subscription ? .nonConsumable : listed,
                product: product,
                state: left == 0 && state == .owned ? .revoked : state,
                readAt: readAt
            )
            one.quantity = Int(clamping: max(1, left))
            one.refunded = Int64(min(bought - left, 1000))
            one.take(purchase, state: said)
            return one
        }
        guard let whole = GooglePurchase(of: all) else { return nil }
        self = whole
    }

    private mutating func take(_ purchase: StoreObject, state said: String) {
        strangeState = state == nil ? said : nil
        purchasedAt = purchase.date("purchaseCompletionTime")
        order = purchase.text("orderId")
        account = purchase.text("obfuscatedExternalAccountId")
        isTest = purchase.has("testPurchaseContext")
        isUnacknowledged = purchase.text("acknowledgementState") == "ACKNOWLEDGEMENT_STATE_PENDING"
    }

    /// A canceled purchase that was paid was refunded; if it was not paid, its payment never came.
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
