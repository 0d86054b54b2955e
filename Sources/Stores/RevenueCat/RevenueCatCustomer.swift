internal import Domain
internal import StoreInterface

/// The buyer, in the three places where RevenueCat names one. Any of them may hold the id that the app gave.
struct RevenueCatCustomer {
    private let ids: [String]
    /// RevenueCat's own id of the customer, which stays the same when the app identifies the user.
    let account: String?
    let token: OrderToken?

    init(_ fields: StoreObject) {
        account = fields.text("original_app_user_id")
        ids = [fields.text("app_user_id"), account].compactMap { $0 } + fields.texts("aliases")
        let attributes = fields.object("subscriber_attributes")
        let named = ["paycast_order", "order"].map { attributes?.object($0)?.text("value") }.compactMap { $0 }
        token = (named + ids).lazy.compactMap { OrderToken($0) }.first
    }

    /// The first id that the app gave; nil when RevenueCat made up all of them.
    var user: UserID? { RevenueCatCustomer.known(ids) }

    static func known(_ ids: [String]) -> UserID? {
        ids.first { !$0.utf8.starts(with: "$RCAnonymousID:".utf8) }.map { UserID($0) }
    }
}
