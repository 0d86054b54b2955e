public import Foundation

/// A store in memory, for previews and tests: a sheet sells at once, unless a test says otherwise.
public actor TestStore: Store {
    private let known: [StoreProduct]
    private var answer: Result<StoreOutcome, PurchaseError>?
    private var bought: [SignedTransaction] = []
    private var finished: Set<UInt64> = []
    /// Of the last purchase of each product.
    private var tokens: [String: UUID] = [:]
    private nonisolated let (stream, continuation) = AsyncStream<StoreUpdate>.makeStream()

    public init(_ products: [StoreProduct]) {
        known = products
    }

    /// How the next sheets end; nil sells again.
    public func answer(_ result: Result<StoreOutcome, PurchaseError>?) { answer = result }

    /// What comes without a tap, such as an approval of what was `pending`, which has the token of its purchase.
    @discardableResult
    public func bring(_ product: String, token: UUID? = nil) -> SignedTransaction {
        let transaction = sign(product, token: token ?? tokens[product])
        continuation.yield(.signed(transaction))
        return transaction
    }

    private func sign(_ product: String, token: UUID?) -> SignedTransaction {
        let id = UInt64(bought.count + 1)
        let jws = "test/\(product)/\(id)"
        bought.append(SignedTransaction(id: id, product: product, jws: jws, signedDate: Date(), token: token))
        return bought[bought.count - 1]
    }

    public func products(_ ids: [String]) -> [StoreProduct] { known.filter { ids.contains($0.id) } }

    public func purchase(
        _ product: String,
        token: UUID,
        offer: PurchaseOffer?
    ) throws(PurchaseError) -> StoreOutcome {
        tokens[product] = token
        if let answer { return try answer.get() }
        guard let sold = known.first(where: { $0.id == product }) else { throw .unknownProduct }
        // Like the App Store, it sells again only what is used up.
        let owned = bought.last { $0.product == product && sold.kind != .consumable }
        return owned.map { .owned($0) } ?? .bought(sign(product, token: token))
    }

    public nonisolated func updates() -> AsyncStream<StoreUpdate> { stream }
    public func unfinished() -> [SignedTransaction] { bought.filter { !finished.contains($0.id) } }
    public func owned() -> [SignedTransaction] { bought }
    public func appTransaction() -> SignedAppTransaction { SignedAppTransaction(id: "1", jws: "test") }
    public func sync() {}
    public func finish(_ transaction: UInt64) { finished.insert(transaction) }
    public func showManageSubscriptions() {}
    public func redeemOfferCode() {}
    public func requestRefund(of product: String) -> RefundRequest { .requested }
}
