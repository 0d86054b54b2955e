#if canImport(Observation)
    public import Observation

    /// What views show, kept up to date: what the user may use, and what has begun and is not over.
    @available(iOS 17, macOS 14, *)
    @MainActor
    @Observable
    public final class PurchasesModel {
        public private(set) var state = EntitlementState.unknown
        public private(set) var open: [OpenPurchase] = []

        @ObservationIgnored private var readers: [Task<Void, Never>] = []

        public init(_ purchases: any Purchasing) {
            let (states, changes) = (purchases.entitlements, purchases.openPurchases)
            readers = [
                Task { [weak self] in for await state in states { self?.state = state } },
                Task { [weak self] in for await open in changes { self?.open = open } },
            ]
        }

        deinit { for reader in readers { reader.cancel() } }

        /// Whether the entitlement is open, or the main one.
        public func isActive(_ name: String? = nil) -> Bool { state.isActive(name) }
    }
#endif

/// `Purchases`, as far as views use it: tests of an app may put something of their own in its place.
public protocol Purchasing: Sendable {
    var entitlements: AsyncStream<EntitlementState> { get }
    var openPurchases: AsyncStream<[OpenPurchase]> { get }
    func catalog(locale: String?) async throws(PurchaseError) -> Catalog
    func products(_ ids: [String]) async throws(PurchaseError) -> [StoreProduct]
    func withEligibility(_ products: [StoreProduct]) async -> [StoreProduct]
    func buy(_ product: String, order: Order?, offer: PurchaseOffer?) async throws(PurchaseError) -> PurchaseOutcome
    func restore() async throws(PurchaseError) -> Restoration
    func manageSubscriptions() async throws(PurchaseError)
    func redeemOfferCode() async throws(PurchaseError)
    func requestRefund(of product: String) async throws(PurchaseError) -> RefundRequest
}

extension Purchases: Purchasing {}
