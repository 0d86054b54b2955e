package struct PricesReply: Encodable, Equatable {
    /// By product id, as the store writes them.
    package var prices: [String: String]
    /// By product id. Nil if the store tells no more than prices.
    package var terms: [String: ProductTerms]?
    package var environment: String?
    /// What the store does not know.
    package var missing: [String]

    package init(prices: [String: String], terms: [String: ProductTerms], environment: String?, missing: [String]) {
        self.prices = prices
        self.terms = terms.isEmpty ? nil : terms
        self.environment = environment
        self.missing = missing
    }
}

package struct PurchaseReply: Encodable, Equatable {
    /// `granted`, `delivered` (granted, and a consumable), `pending`, `cancelled`, `owned_by_other`, `kept`, `recorded` or
    /// `error`; to PurchaseKit's pages `success`, `pending`, `cancelled` or `error`.
    package var status: String
    package var error: String?
    /// Why it is kept, or what the server made of it.
    package var reason: String?

    package init(status: String, error: String? = nil, reason: String? = nil) {
        self.status = status
        self.error = error
        self.reason = reason
    }

    /// What is paid is a success there: the page waits for its server in any case.
    package func inWords(of form: PurchaseMessage.Form) -> PurchaseReply {
        guard form == .purchaseKit else { return self }
        return PurchaseReply(status: PurchaseReply.purchaseKitStatus[status] ?? status, error: error, reason: reason)
    }

    private static let purchaseKitStatus = [
        "granted": "success", "delivered": "success", "kept": "success", "recorded": "success",
        "owned_by_other": "error",
    ]
}

/// PurchaseKit's `subscriptionIds` hold the original transaction ids.
package struct RestoreReply: Encodable, Equatable {
    package struct Item: Encodable, Equatable {
        package var product: String
        package var status: String

        package init(product: String, status: String) {
            self.product = product
            self.status = status
        }
    }

    /// `restored`, `nothing`, `owned_by_other`, `offline`, `recorded` or `failed`; `cancelled` comes without items.
    package var status: String
    package var subscriptionIds: [String]
    package var items: [Item]

    /// - Parameter isUnreached: Whether some of it waits for the server's answer.
    package init(subscriptionIds: [String], items: [Item], isUnreached: Bool) {
        self.subscriptionIds = subscriptionIds
        self.items = items
        // Never `kept`: the page would lock its button until a purchase arrives.
        status =
            switch Set(items.map(\.status)) {
            case []: "nothing"
            case ["owned_by_other"]: "owned_by_other"
            case let words where !words.isDisjoint(with: ["granted", "delivered"]): "restored"
            case _ where isUnreached: "offline"
            case let words: words.contains("recorded") ? "recorded" : "failed"
            }
    }
}

/// `Held`: what the user may use, in the server's own members.
package struct StateReply<Held: Encodable>: Encodable {
    package struct Purchase: Encodable, Equatable {
        package var productId: String
        /// `buying`, `pending` or `kept`.
        package var status: String

        package init(productId: String, status: String) {
            self.productId = productId
            self.status = status
        }
    }

    /// `unknown`, `current` or `last_known`.
    package var status = "unknown"
    package var entitlements: [Held]
    /// When the server said so, in ISO 8601; only for `last_known`.
    package var knownAt: String?
    /// What has begun and is not over. What is not listed has ended, or was never begun here.
    package var purchases: [Purchase]
    /// Products that wait for an approval.
    package var pending: [String]
    /// Transactions that the server has not got yet.
    package var kept: Int

    package init(entitlements: [Held], purchases: [Purchase], kept: Int) {
        self.entitlements = entitlements
        self.purchases = purchases
        self.kept = kept
        pending = purchases.filter { $0.status == "pending" }.map(\.productId)
    }
}
