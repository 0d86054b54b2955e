struct PricesReply: Encodable, Equatable {
    /// By product id, as the store writes them.
    var prices: [String: String]
    /// By product id. Nil if the store tells no more than prices.
    var terms: [String: ProductTerms]?
    var environment: String?
    /// What the store does not know.
    var missing: [String]

    init(prices: [String: String], terms: [String: ProductTerms], environment: String?, missing: [String]) {
        self.prices = prices
        self.terms = terms.isEmpty ? nil : terms
        self.environment = environment
        self.missing = missing
    }
}

struct PurchaseReply: Encodable, Equatable {
    /// `granted`, `delivered` (granted, and a consumable), `pending`, `cancelled`, `owned_by_other`, `kept`, `recorded` or
    /// `error`; to PurchaseKit's pages `success`, `pending`, `cancelled` or `error`.
    var status: String
    var error: String?
    /// Why it is kept, or what the server made of it.
    var reason: String?

    /// What is paid is a success there: the page waits for its server in any case.
    func inWords(of form: PurchaseMessage.Form) -> PurchaseReply {
        guard form == .purchaseKit else { return self }
        return PurchaseReply(status: PurchaseReply.purchaseKitStatus[status] ?? status, error: error, reason: reason)
    }

    private static let purchaseKitStatus = [
        "granted": "success", "delivered": "success", "kept": "success", "recorded": "success",
        "owned_by_other": "error",
    ]
}

/// PurchaseKit's `subscriptionIds` hold the original transaction ids.
struct RestoreReply: Encodable, Equatable {
    struct Item: Encodable, Equatable {
        var product: String
        var status: String
    }

    /// `restored`, `nothing`, `owned_by_other`, `offline`, `recorded` or `failed`; `cancelled` comes without items.
    var status: String
    var subscriptionIds: [String]
    var items: [Item]

    /// - Parameter isUnreached: Whether some of it waits for the server's answer.
    init(subscriptionIds: [String], items: [Item], isUnreached: Bool) {
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
struct StateReply<Held: Encodable>: Encodable {
    struct Purchase: Encodable, Equatable {
        var productId: String
        /// `buying`, `pending` or `kept`.
        var status: String
    }

    /// `unknown`, `current` or `last_known`.
    var status = "unknown"
    var entitlements: [Held]
    /// When the server said so, in ISO 8601; only for `last_known`.
    var knownAt: String?
    /// What has begun and is not over. What is not listed has ended, or was never begun here.
    var purchases: [Purchase]
    /// Products that wait for an approval.
    var pending: [String]
    /// Transactions that the server has not got yet.
    var kept: Int

    init(entitlements: [Held], purchases: [Purchase], kept: Int) {
        self.entitlements = entitlements
        self.purchases = purchases
        self.kept = kept
        pending = purchases.filter { $0.status == "pending" }.map(\.productId)
    }
}
