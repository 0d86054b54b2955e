public import Foundation

/// The app's side of purchases: from the tap to the finished transaction.
///
///     let purchases = Purchases(server: url)      // with the process, before any UI
///     purchases.start()
///     let outcome = try await purchases.buy("pro.annual", order: order)
///
/// Keep one for the whole process.
public final class Purchases: Sendable {
    let engine: PurchaseEngine
    private let store: any Store

    /// - Parameters:
    ///   - server: Where Paycast listens, such as `https://pay.example.com`.
    ///   - store: The device's store.
    ///   - orders: Makes orders for purchases that begin without one, and renews expired streams.
    ///   - folder: Where orders wait for their transactions. A folder of its own that nothing else writes to.
    public convenience init(
        server: URL,
        store: any Store,
        orders: (any OrderSource)? = nil,
        folder: URL = Purchases.defaultFolder
    ) {
        self.init(server: server, store: store, orders: orders, folder: folder, time: SystemTime())
    }

    /// For tests that end the process before an action, or run it by another clock.
    package convenience init(
        server: URL,
        store: any Store,
        orders: (any OrderSource)?,
        folder: URL,
        time: any Timekeeper,
        timeout: TimeInterval = 30,
        willPerform: (@Sendable (_ action: String) -> Void)? = nil
    ) {
        self.init(
            PurchaseEngine.Parts(
                store: store,
                server: PaycastServer(transport: URLSessionTransport(server: server, timeout: timeout)),
                disk: Disk(folder: folder),
                orders: orders,
                time: time,
                willPerform: { action in willPerform?(String(describing: action)) }
            )
        )
    }

    init(_ parts: PurchaseEngine.Parts) {
        engine = PurchaseEngine(parts)
        store = parts.store
    }

    /// In Application Support, which survives updates of the app. Outside a sandbox, all apps share it.
    public static var defaultFolder: URL {
        let support = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
        return [Bundle.main.bundleIdentifier, "PaycastKit"].compactMap(\.self)
            .reduce(support ?? FileManager.default.temporaryDirectory) { $0.appendingPathComponent($1) }
    }

    /// Listens to the store, and posts what is unfinished until the server has it. Call it once, before anything else:
    /// the store tells of some transactions only in the first moments. Whatever needs it later starts it if nobody has.
    public func start() {
        Task { [engine] in await engine.run() }
    }

    /// Begins a purchase, and returns when its outcome is known or the server takes too long. What was bought is in
    /// `entitlements` by then, unless the server is slow to tell. A second call for the same product waits for the first.
    ///
    /// - Parameters:
    ///   - order: The order of the app's backend. Without one, the `OrderSource` is asked.
    ///   - offer: A promotional or win-back offer; `unknownOffer` is thrown if the store does not have it.
    public func buy(
        _ product: String,
        order: Order? = nil,
        offer: PurchaseOffer? = nil
    ) async throws(PurchaseError) -> PurchaseOutcome {
        start()
        return try await engine.wait(of: product) { .tapped(product: product, order: order, offer: offer, ticket: $0) }
            .get()
    }

    /// Posts everything that the store account owns for the user who is logged in. It only adds. The store may ask for
    /// the account's password, so call it from a button and from nowhere else.
    public func restore() async throws(PurchaseError) -> Restoration { try await restore(for: nil) }

    /// Posts what this device knows of the store account, without the store's sheet. It is the user's act, too: like a restore, it
    /// may move what another user of the app had, as the server's transfers say. Call it from a button and from nowhere else.
    public func claim() async throws(PurchaseError) -> Restoration { try await restore(for: nil, isSilent: true) }

    /// The user who asked gets it, though the store may show sheets meanwhile and others may log in.
    func restore(for stream: SignedStream?, isSilent: Bool = false) async throws(PurchaseError) -> Restoration {
        start()
        let claimant = await engine.ask { [stream] machine in stream ?? machine.session } ?? stream
        if !isSilent { try await store.sync() }
        var results: [Restoration.Item] = []
        await withTaskGroup(of: Restoration.Item?.self) { [engine] group in
            for transaction in await store.owned() {
                group.addTask {
                    let result = await engine.wait { .restored(transaction, for: claimant, ticket: $0) }
                    let (product, id) = (transaction.product, transaction.originalID)
                    return (try? result.get()).map { Restoration.Item(product: product, originalID: id, outcome: $0) }
                }
            }
            for await item in group { if let item { results.append(item) } }
        }
        return Restoration(items: results.sorted { $0.originalID < $1.originalID })
    }

    /// The store's own names, prices, periods and introductory offers in the order of the ids, but for unknown ones.
    public func products(_ ids: [String]) async throws(PurchaseError) -> [StoreProduct] {
        let known = Dictionary(try await store.products(ids).map { ($0.id, $0) }) { first, _ in first }
        return ids.compactMap { known[$0] }
    }

    /// The same products, with whether this user may have their introductory offers: apart, as no price waits for it.
    public func withEligibility(_ products: [StoreProduct]) async -> [StoreProduct] {
        await store.withEligibility(products)
    }

    /// What the server's catalog sells and what each product opens: an offering, without a new version of the app.
    ///
    /// - Parameter locale: The language of its names, such as `de`.
    public func catalog(locale: String? = nil) async throws(PurchaseError) -> Catalog {
        try await engine.feed.catalog(locale: locale)
    }

    /// What the user was charged for at any store, newest first, as the server knows it: at most `limit`. For a page of past
    /// purchases; what the user may use now is in `entitlements`.
    public func purchases(limit: Int = 100) async throws(PurchaseError) -> [Charge] {
        start()
        _ = await engine.ask { _ in true }
        return try await engine.feed.charges(product: nil, limit: limit)
    }

    /// The user's last charge of a product; nil if there was none.
    public func latest(for product: String) async throws(PurchaseError) -> Charge? {
        start()
        _ = await engine.ask { _ in true }
        return try await engine.feed.charges(product: product, limit: 1).first
    }

    /// Who the store account is in this app, even before it has bought anything, and after a new installation. The app's backend
    /// may know a guest by it.
    public func appTransaction() async throws(PurchaseError) -> SignedAppTransaction {
        try await store.appTransaction()
    }

    /// The user's entitlements, now and with each change: while somebody reads them and the app is in front, the user's stream is
    /// followed, so that also a cancellation, a refund or a purchase elsewhere is there in a moment.
    public var entitlements: AsyncStream<EntitlementState> {
        start()
        return engine.feed.states()
    }

    /// The user's entitlements once, after the question that may be under way, but not after a server that takes its time.
    public func currentEntitlements() async -> EntitlementState {
        start()
        _ = await engine.ask { _ in true }
        await engine.feed.settle()
        return await engine.feed.state
    }

    /// Whether the entitlement is open to the user, such as `pro`, or the main one.
    public func isActive(_ entitlement: String? = nil) async -> Bool {
        await currentEntitlements().isActive(entitlement)
    }

    /// What the user has begun and is not over, now and after each change: it waits for approval, or for the server.
    public var openPurchases: AsyncStream<[OpenPurchase]> {
        start()
        return engine.openPurchases()
    }

    /// What an app should log. For one reader.
    public var problems: AsyncStream<Problem> { engine.problems }

    /// Says who the user is: the `signed_stream` of an order, or of `GET /users/{user}/stream`. Not needed for a
    /// purchase: its order says it, the app's own or the one of the `OrderSource`.
    public func logIn(_ stream: SignedStream) { engine.send(.loggedIn(stream)) }

    /// What is not posted yet stays its user's, and is never the next one's.
    public func logOut() { engine.send(.loggedOut) }

    /// Tries again now. On Apple's systems it happens by itself when the app or the network comes back.
    public func resume() { engine.send(.resumed) }

    /// The store's own sheet for changing or cancelling a subscription; on a Mac, like the next two, a page.
    public func manageSubscriptions() async throws(PurchaseError) {
        // What a sheet has changed is asked for as soon as it is closed.
        defer { resume() }
        try await store.showManageSubscriptions()
    }

    /// The store's own sheet for entering an offer code. What was redeemed arrives by itself.
    public func redeemOfferCode() async throws(PurchaseError) {
        engine.send(.redeeming)
        defer { resume() }
        // On a Mac the page is open when the call returns.
        #if !os(macOS)
            defer { engine.send(.redeemed) }
        #endif
        try await store.redeemOfferCode()
    }

    /// The store's own sheet for asking the money of the product's last purchase back. The app's account page should have a
    /// button for it. A refund that is granted arrives by itself.
    public func requestRefund(of product: String) async throws(PurchaseError) -> RefundRequest {
        defer { resume() }
        return try await store.requestRefund(of: product)
    }

    /// How much is not with the server yet, of all users. For tests.
    package var keptCount: Int { get async { await engine.ask { $0.deliveries.count } ?? 0 } }

    /// Ends it, for tests. An app never needs to.
    func stop() { engine.stop() }
}

/// What a restore found, and what the server said to each.
public struct Restoration: Equatable, Sendable {
    public struct Item: Equatable, Sendable {
        public var product: String
        /// The store's id of the subscription or purchase.
        public var originalID: UInt64
        public var outcome: PurchaseOutcome
    }

    public var items: [Item]
}
