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

/// `purchase`, in the three forms that pages send.
struct PurchaseMessage: Decodable, Equatable {
    enum Form: Equatable {
        /// `{"product", "order", "stream"?, "offer"?}`
        case paycast
        /// `{"appleStoreProductId", "correlationId", …}`. Its `xcodeCompletionUrl` is not needed: a development server
        /// takes Xcode's transactions as they are.
        case purchaseKit
        /// `{"productId", "userId"}`, where the user id is the token.
        case simple
    }

    var form: Form
    var product: String
    /// The order's UUID. Nil when the page has no order: then the app's `OrderSource` makes one.
    var token: UUID?
    var stream: String?
    /// The id of an offer that the page has chosen.
    var offer: String?

    private enum CodingKeys: CodingKey {
        case product, order, stream, offer
        case appleStoreProductId, correlationId
        case productId, userId
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
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
        stream = try container.decodeIfPresent(String.self, forKey: .stream)
        offer = try container.decodeIfPresent(String.self, forKey: .offer)
    }
}

/// `refund`: asks the money of the product's last purchase back.
struct RefundMessage: Decodable, Equatable {
    var product: String
}

/// `state`: what a page may have missed while it was not there. And `restore`, which needs no more.
struct StateMessage: Decodable, Equatable {
    var stream: String?
}
