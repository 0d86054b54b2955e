internal import Foundation

/// `prices`: as an array of ids, or as PurchaseKit's pages ask.
struct PricesMessage: Decodable, Equatable {
    var ids: [String]
    var isPurchaseKits: Bool

    private enum CodingKeys: CodingKey {
        case products
    }

    private struct Product: Decodable {
        /// Of our own pages, which do not ask for the environment.
        var product: String?
        var appleStoreProductId: String?
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if let ids = try? container.decode([String].self, forKey: .products) {
            self.ids = ids
            isPurchaseKits = false
        } else {
            let products = try container.decode([Product].self, forKey: .products)
            ids = products.compactMap(\.appleStoreProductId)
            isPurchaseKits = products.allSatisfy { $0.product == nil }
        }
    }
}

struct PricesReply: Encodable, Equatable {
    /// By product id, as the store writes them.
    var prices: [String: String]
    var environment: String?
    /// What the store does not know.
    var missing: [String]
}

/// `purchase`, in the three forms that pages send.
struct PurchaseMessage: Decodable, Equatable {
    enum Form: Equatable {
        /// `{"product", "order", "stream"?}`
        case paycast
        /// `{"appleStoreProductId", "correlationId", …}`. Its `xcodeCompletionUrl` is not needed: a development server
        /// takes Xcode's transactions as they are.
        case purchaseKit
        /// `{"productId", "userId"}`, where the user id is the token.
        case simple
    }

    var form: Form
    var product: String
    /// Nil when the page has no order: then the app's `OrderSource` makes one.
    var order: Order?

    private enum CodingKeys: CodingKey {
        case product, order, stream
        case appleStoreProductId, correlationId
        case productId, userId
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let token: UUID?
        if let product = try container.decodeIfPresent(String.self, forKey: .product) {
            (form, self.product) = (.paycast, product)
            token = try container.decodeIfPresent(UUID.self, forKey: .order)
        } else if let product = try container.decodeIfPresent(String.self, forKey: .appleStoreProductId) {
            (form, self.product) = (.purchaseKit, product)
            token = try container.decode(UUID.self, forKey: .correlationId)
        } else {
            (form, product) = (.simple, try container.decode(String.self, forKey: .productId))
            token = try container.decode(UUID.self, forKey: .userId)
        }
        let stream = try container.decodeIfPresent(SignedStream.self, forKey: .stream)
        order = token.map { Order(token: $0, stream: stream) }
    }
}

struct PurchaseReply: Encodable, Equatable {
    /// `granted`, `delivered` (granted, and a consumable), `pending`, `cancelled`, `owned_by_other`, `kept`, `recorded` or
    /// `error`; to PurchaseKit's pages `success`, `pending`, `cancelled` or `error`.
    var status: String
    var error: String?
    /// Why it is kept, or what the server made of it.
    var reason: String?
}

extension PurchaseReply {
    init(_ outcome: PurchaseOutcome, to form: PurchaseMessage.Form) {
        switch outcome {
        // Coins may leave the page as it is: nothing else would tell it that the purchase is over.
        case .granted(let grant): self.init(status: grant.isConsumable ? "delivered" : "granted")
        case .pending: self.init(status: "pending")
        case .cancelled: self.init(status: "cancelled")
        case .ownedByOther: self.init(status: "owned_by_other", error: "owned_by_other")
        case .kept(let reason): self.init(status: "kept", reason: reason.rawValue)
        case .recorded(let outcome): self.init(status: "recorded", reason: outcome)
        }
        if form == .purchaseKit { status = PurchaseReply.purchaseKitStatus[status] ?? status }
    }

    /// What is paid is a success there: the page waits for its server in any case.
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

    init(_ restoration: Restoration) {
        subscriptionIds = restoration.items.map { String($0.originalID) }
        items = restoration.items.map {
            Item(product: $0.product, status: PurchaseReply($0.outcome, to: .paycast).status)
        }
        let outcomes = restoration.items.map(\.outcome)
        // Never `kept`: the page would lock its button until a purchase arrives.
        status =
            switch Set(items.map(\.status)) {
            case []: "nothing"
            case ["owned_by_other"]: "owned_by_other"
            case let words where !words.isDisjoint(with: ["granted", "delivered"]): "restored"
            case _ where outcomes.contains(.kept(.offline)) || outcomes.contains(.kept(.busy)): "offline"
            case let words: words.contains("recorded") ? "recorded" : "failed"
            }
    }
}

/// `refund`: asks the money of the product's last purchase back.
struct RefundMessage: Decodable, Equatable {
    var product: String
}

/// `state`: what a page may have missed while it was not there. And `restore`, which needs no more.
struct StateMessage: Decodable, Equatable {
    var stream: SignedStream?
}

struct StateReply: Encodable, Equatable {
    struct Purchase: Encodable, Equatable {
        var productId: String
        /// `buying`, `pending` or `kept`.
        var status: String
    }

    /// `unknown`, `current` or `last_known`.
    var status: String
    var entitlements: [Entitlement]
    /// When the server said so, in ISO 8601; only for `last_known`.
    var knownAt: String?
    /// What has begun and is not over. What is not listed has ended, or was never begun here.
    var purchases: [Purchase]
    /// Products that wait for an approval.
    var pending: [String]
    /// Transactions that the server has not got yet.
    var kept: Int
}
