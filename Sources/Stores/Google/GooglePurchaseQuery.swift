internal import Domain
internal import Encoding

/// Which purchase to read, and how to read the answer.
struct GooglePurchaseQuery {
    static let noPurchase = "it is not the purchase that was asked for"

    let token: String
    let package: String
    private let isSubscription: Bool

    /// Returns nil when there is nothing to read.
    init?(_ subject: GoogleNotification.Subject, package: String) {
        switch subject {
        case .subscription(let token): (self.token, isSubscription) = (token, true)
        case .product(let token): (self.token, isSubscription) = (token, false)
        case .none: return nil
        }
        self.package = package
    }

    var path: String {
        "purchases/\(isSubscription ? "subscriptionsv2" : "productsv2")/tokens/\(PercentEncoding.encode(token))"
    }

    /// Reads Google's answer. A JSON object without a purchase is final, so Google is not asked again; anything that is
    /// not a JSON object did not come from Google.
    func purchase(_ body: [UInt8], catalog: Catalog, readAt: Instant) throws(StoreAPIError) -> GooglePurchase {
        let purchase =
            isSubscription
            ? GooglePurchase(subscription: body, token: token, package: package, catalog: catalog, readAt: readAt)
            : GooglePurchase(product: body, token: token, package: package, catalog: catalog, readAt: readAt)
        if let purchase { return purchase }
        let isObject = JSONBody.decode(Anything.self, from: body) != nil
        throw .unreadable(reason: isObject ? GooglePurchaseQuery.noPurchase : "it is not a JSON object")
    }

    private struct Anything: Decodable {}
}
