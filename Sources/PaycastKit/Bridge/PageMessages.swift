internal import Foundation

/// What a page says, in the names of our script and PurchaseKit's or the short ones of others. Each event needs a part.
struct PageMessage: Decodable {
    struct Incomplete: Error {}

    /// Articles on hybrid apps send `{productId, userId}`, whose `userId` is the UUID for the store, if it is one.
    struct UserID: Decodable {
        var uuid: UUID?

        init(from decoder: any Decoder) throws { uuid = try? decoder.singleValueContainer().decode(UUID.self) }
    }

    var product: String?
    var productId: String?
    /// Of `prices`: a product each.
    var products: [PageMessage]?
    /// Whether the page waits for what the store takes its time to tell: `isEligible`.
    var eligibility: Bool?
    /// The order's UUID. Nil when the page has no order: then the app's `OrderSource` makes one.
    var order: UUID?
    var userId: UserID?
    var stream: SignedStream?
    /// The id of an offer that the page has chosen.
    var offer: String?

    var requiredProduct: String {
        get throws {
            guard let name = product ?? productId else { throw Incomplete() }
            return name
        }
    }
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
    /// `granted`, `delivered` (granted, and a consumable), `already_owned`, `changes_at_renewal`, `pending`, `cancelled`,
    /// `owned_by_other`, `kept`, `logged_out`, `refused`, `recorded` or `error`. Of a restore `restored`, `nothing`,
    /// `owned_by_other`, `offline`, `logged_out`, `refused` or `recorded`.
    var status: String
    var error: String?
    /// Why it is kept, or what the server made of it.
    var reason: String?
}

struct StateReply: Encodable {
    /// `unknown`, `current`, `last_known` or `on_device`.
    var status = "unknown"
    /// By name, in the server's own members.
    var entitlements: [String: Entitlement]
    /// When the server said so; only for `last_known`.
    var knownAt: Date?
    /// What has begun and is not over. What is not listed has ended, or was never begun here.
    var purchases: [OpenPurchase]
    /// The user's transactions that the server has not got yet.
    var kept: Int
}

extension PurchaseReply {
    init(_ outcome: PurchaseOutcome) {
        switch outcome {
        // Coins may leave the page as it is: nothing else would tell it that the purchase is over.
        case .granted(let grant): self.init(status: grant.isConsumable ? "delivered" : "granted")
        // Neither has the stream anything to tell.
        case .alreadyOwned: self.init(status: "already_owned")
        case .changesAtRenewal: self.init(status: "changes_at_renewal")
        case .pending: self.init(status: "pending")
        case .cancelled: self.init(status: "cancelled")
        case .ownedByOther: self.init(status: "owned_by_other", error: "owned_by_other")
        case .kept(let reason): self.init(status: "kept", reason: reason.rawValue)
        case .loggedOut: self.init(status: "logged_out")
        case .refused: self.init(status: "refused")
        case .recorded(let outcome): self.init(status: "recorded", reason: outcome)
        }
    }

    /// The best news that is true. Never `kept`: the page would lock its button until a purchase arrives.
    init(_ restoration: Restoration) {
        let words = Set(restoration.items.map { PurchaseReply($0.outcome).status })
        let isRestored = !words.isDisjoint(with: ["granted", "delivered"])
        let told =
            ["kept", "logged_out", "recorded", "refused", "owned_by_other"].first(where: words.contains) ?? "nothing"
        self.init(status: isRestored ? "restored" : told == "kept" ? "offline" : told)
    }
}
