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
