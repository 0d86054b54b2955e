internal import Domain
internal import Encoding
internal import GoogleStore

/// `{"purchaseToken", "productId"?, "package"?, "stream"?, "user"?, "order"?}`, parsed strictly.
struct PurchaseBody {
    /// Google's tokens have about 150 bytes.
    private static let tokenLimit = 1024

    var purchase: PostedGooglePurchase
    var claimant: Claimant
    /// The claimant's order, for a purchase that carries no token of its own.
    var order: OrderToken?

    init(_ bytes: [UInt8]) throws(RefusedBody) {
        let node = try RefusedBody.object(bytes)
        guard let token = try RefusedBody.string("purchaseToken", of: node) else {
            throw RefusedBody("missing_purchase_token", "Send {\"purchaseToken\":TOKEN}.")
        }
        // In contract names, a `#` precedes a further product of the same purchase.
        guard isValidIdentifier(token, limit: PurchaseBody.tokenLimit), !token.utf8.contains(UInt8(ascii: "#")) else {
            throw RefusedBody(
                "invalid_purchase_token",
                "purchaseToken must have 1 to \(PurchaseBody.tokenLimit) bytes, no control characters and no #."
            )
        }
        purchase = PostedGooglePurchase(
            token: token,
            product: try PurchaseBody.name("productId", of: node),
            package: try PurchaseBody.name("package", of: node)
        )
        claimant = try Claimant(of: node)
        order = try RefusedBody.order(of: node)
    }

    private static func name(_ member: String, of node: JSONNode) throws(RefusedBody) -> String? {
        guard let name = try RefusedBody.string(member, of: node) else { return nil }
        guard isValidIdentifier(name) else {
            throw RefusedBody.mistyped(member, "1 to 255 bytes without control characters")
        }
        return name
    }
}
