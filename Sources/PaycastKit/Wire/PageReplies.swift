struct PricesReply: Encodable, Equatable {
    /// By product id, as the store writes them.
    var prices: [String: String]
    /// By product id, what the store tells beside it.
    var terms: [String: StoreProduct]
    /// What the store does not know.
    var missing: [String]
}

struct PurchaseReply: Encodable, Equatable {
    /// `granted`, `delivered` (granted, and a consumable), `pending`, `cancelled`, `owned_by_other`, `kept`, `recorded` or
    /// `error`. Of a restore `restored`, `nothing`, `owned_by_other`, `offline`, `recorded` or `failed`.
    var status: String
    var error: String?
    /// Why it is kept, or what the server made of it.
    var reason: String?
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
    /// Transactions that the server has not got yet.
    var kept: Int
}
