internal import Domain
internal import Encoding
internal import GoogleStore
internal import StoreInterface

/// A purchase that the Play Billing library gave an app. Google signs nothing that we could check here, so we read the
/// purchase from Google's API and then handle it like a push:
/// `{"purchaseToken", "productId"?, "package"?, "stream"?, "user"?, "order"?}`, parsed strictly.
struct PurchaseBody: PostedPurchase {
    static let provider = Provider.google
    static let asksStore = true
    static let refusal: StaticString = "purchase refused"
    /// Google's tokens have about 150 bytes.
    private static let tokenLimit = 1024

    var purchase: PostedGooglePurchase
    var claimant: Claimant
    var order: OrderToken?

    init(_ bytes: [UInt8]) throws(RefusedBody) {
        let node = try RefusedBody.object(bytes)
        guard let token = try RefusedBody.string("purchaseToken", of: node) else {
            throw RefusedBody("missing_purchase_token", message: "Send {\"purchaseToken\":TOKEN}.")
        }
        // In contract names, a `#` precedes a further product of the same purchase.
        guard isValidIdentifier(token, limit: PurchaseBody.tokenLimit), !token.utf8.contains(UInt8(ascii: "#")) else {
            throw RefusedBody(
                "invalid_purchase_token",
                message:
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

    static func reader(_ services: Services) -> (@Sendable (PurchaseBody) throws(VerificationError) -> Event)? {
        guard let google = services.google else { return nil }
        return { body throws(VerificationError) in try google.read(body.purchase) }
    }

    private static func name(_ member: String, of node: JSONNode) throws(RefusedBody) -> String? {
        guard let name = try RefusedBody.string(member, of: node) else { return nil }
        guard isValidIdentifier(name) else {
            throw RefusedBody.mistyped(member, expected: "1 to 255 bytes without control characters")
        }
        return name
    }
}
