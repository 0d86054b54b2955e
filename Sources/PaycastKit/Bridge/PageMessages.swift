internal import Foundation

/// `prices`.
struct PricesMessage: Decodable {
    struct Product: Decodable {
        var product: String
    }
    var products: [Product]
}

/// `purchase`.
struct PurchaseMessage: Decodable {
    var product: String
    /// The order's UUID. Nil when the page has no order: then the app's `OrderSource` makes one.
    var order: UUID?
    var stream: SignedStream?
    /// The id of an offer that the page has chosen.
    var offer: String?
}

/// `refund`: asks the money of the product's last purchase back.
struct RefundMessage: Decodable {
    var product: String
}

/// `state`: what a page may have missed while it was not there. And `restore` and `redeem`, which need no more.
struct StateMessage: Decodable {
    var stream: SignedStream?
}

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

struct StateReply: Encodable {
    /// `unknown`, `current` or `last_known`.
    var status = "unknown"
    /// In the server's own members.
    var entitlements: [Entitlement]
    /// When the server said so, in ISO 8601; only for `last_known`.
    var knownAt: String?
    /// What has begun and is not over. What is not listed has ended, or was never begun here.
    var purchases: [OpenPurchase]
    /// Transactions that the server has not got yet.
    var kept: Int
}

extension PurchaseReply {
    init(_ outcome: PurchaseOutcome) {
        switch outcome {
        // Coins may leave the page as it is: nothing else would tell it that the purchase is over.
        case .granted(let grant): self.init(status: grant.isConsumable ? "delivered" : "granted")
        case .pending: self.init(status: "pending")
        case .cancelled: self.init(status: "cancelled")
        case .ownedByOther: self.init(status: "owned_by_other", error: "owned_by_other")
        case .kept(let reason): self.init(status: "kept", reason: reason.rawValue)
        case .recorded(let outcome): self.init(status: "recorded", reason: outcome)
        }
    }

    /// Never `kept`: the page would lock its button until a purchase arrives.
    init(_ restoration: Restoration) {
        let outcomes = restoration.items.map(\.outcome)
        let words = Set(outcomes.map { PurchaseReply($0).status })
        let isUnreached = outcomes.contains(.kept(.offline)) || outcomes.contains(.kept(.busy))
        let status =
            switch words {
            case []: "nothing"
            case ["owned_by_other"]: "owned_by_other"
            case _ where !words.isDisjoint(with: ["granted", "delivered"]): "restored"
            case _ where isUnreached: "offline"
            default: words.contains("recorded") ? "recorded" : "failed"
            }
        self.init(status: status)
    }
}
