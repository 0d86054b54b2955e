public import Foundation

/// The store of the device, as far as the kit needs it. StoreKit is one; tests script another.
public protocol Store: Sendable {
    /// What the store knows of these products. Unknown ids are left out, and that is no error.
    func products(_ ids: [String]) async throws(PurchaseError) -> [StoreProduct]
    /// Whether this user of the store may have their introductory offers, asked apart because the store takes its time.
    func withEligibility(_ products: [StoreProduct]) async -> [StoreProduct]
    /// Shows the payment sheet. `token` comes back in the transaction, whenever that is.
    func purchase(_ product: String, token: UUID, offer: PurchaseOffer?) async throws(PurchaseError) -> StoreOutcome
    /// Transactions from outside a purchase: approvals, renewals, other devices, offer codes. Listened to once.
    func updates() -> AsyncStream<StoreUpdate>
    /// Everything that was never finished.
    func unfinished() async -> [SignedTransaction]
    /// What the store account owns now, including what is finished.
    func owned() async -> [SignedTransaction]
    /// The download of the app by the store account.
    func appTransaction() async throws(PurchaseError) -> SignedAppTransaction
    /// Fetches what the store account owns. It may ask for the password, so it is called from a button only.
    func sync() async throws(PurchaseError)
    /// The store forgets the transaction. Does nothing if it has already.
    func finish(_ transaction: UInt64) async
    /// The store's own sheet for changing or cancelling a subscription, or its page where it has none.
    func showManageSubscriptions() async throws(PurchaseError)
    /// The store's own sheet for entering an offer code.
    func redeemOfferCode() async throws(PurchaseError)
    /// The store's own sheet for asking the money of the product's last purchase back.
    func requestRefund(of product: String) async throws(PurchaseError) -> RefundRequest
}

extension Store {
    /// Of a store that does not tell, or tells it with the products.
    public func withEligibility(_ products: [StoreProduct]) async -> [StoreProduct] { products }
}

/// The store's answer to a purchase.
public enum StoreOutcome: Equatable, Sendable {
    case bought(SignedTransaction)
    /// The store account has it already, or a higher level of it: nothing was paid.
    case owned(SignedTransaction)
    case pending
    case cancelled
    /// The device found the signature forged.
    case unverified
}

public enum StoreUpdate: Equatable, Sendable {
    case signed(SignedTransaction)
    /// The device found the signature forged. The product is what the forgery claims.
    case unverified(product: String)
}
