import Foundation
import PaycastKit
import Testing

@Suite("Purchases in memory, as an app's own tests and previews use them")
struct InMemoryTests {
    private let store = TestStore([
        StoreProduct(id: "pro.annual", name: "Pro", displayPrice: "$79.99"),
        StoreProduct(id: "coins", name: "Coins", kind: .consumable, displayPrice: "$0.99"),
    ])

    @Test("What is bought opens what the catalog says, and a model shows it")
    @MainActor
    func bought() async throws {
        let purchases = Purchases.inMemory(store: store, opening: ["pro.annual": ["pro"], "coins": []])
        let model = PurchasesModel(purchases)
        let offers = try await purchases.products(purchases.catalog().products(of: "pro"))
        #expect(offers.map(\.id) == ["pro.annual"])
        #expect(await !purchases.isActive("pro"))
        guard case .granted = try await purchases.buy("pro.annual") else {
            Issue.record("not granted")
            return
        }
        #expect(await purchases.isActive("pro"))
        #expect(await purchases.isActive())
        #expect(try await purchases.latest(for: "pro.annual")?.product == "pro.annual")
        #expect(try await purchases.purchases().count == 1)
        #expect(try await purchases.latest(for: "coins") == nil)
        #expect(try await purchases.buy("pro.annual") == .alreadyOwned)
        for await state in purchases.entitlements where state.isActive("pro") { break }
        while !model.isActive("pro") { await Task.yield() }
        while !model.open.isEmpty { await Task.yield() }
    }

    @Test("A model that is gone reads no more")
    @MainActor
    func modelEnds() async {
        let ended = AsyncStream<Void>.makeStream()
        var model: PurchasesModel? = PurchasesModel(Endless(ended: ended.continuation))
        #expect(model?.isActive() == false)
        model = nil
        var ends = 0
        for await _ in ended.stream {
            ends += 1
            if ends == 2 { break }
        }
    }

    /// Streams that end when nobody reads them.
    private struct Endless: Purchasing {
        var ended: AsyncStream<Void>.Continuation
        var entitlements: AsyncStream<EntitlementState> { endless() }
        var openPurchases: AsyncStream<[OpenPurchase]> { endless() }

        private func endless<Value>() -> AsyncStream<Value> {
            AsyncStream { $0.onTermination = { [ended] _ in ended.yield() } }
        }

        func catalog(locale: String?) throws(PurchaseError) -> Catalog { throw .offline }
        func products(_ ids: [String]) -> [StoreProduct] { [] }
        func withEligibility(_ products: [StoreProduct]) -> [StoreProduct] { products }
        func buy(_ product: String, order: Order?, offer: PurchaseOffer?) -> PurchaseOutcome { .cancelled }
        func restore() throws(PurchaseError) -> Restoration { throw .offline }
        func manageSubscriptions() {}
        func redeemOfferCode() {}
        func requestRefund(of product: String) -> RefundRequest { .shown }
    }

    @Test("Whatever a sheet may end with can be tried, and an approval comes by itself")
    func ends() async throws {
        let purchases = Purchases.inMemory(store: store, opening: ["pro.annual": ["pro"]])
        await store.answer(.success(.pending))
        #expect(try await purchases.buy("pro.annual") == .pending)
        for await open in purchases.openPurchases where open.map(\.status) == [.pending] { break }
        await store.bring("pro.annual")
        for await state in purchases.entitlements where state.isActive("pro") { break }
        for await open in purchases.openPurchases where open.isEmpty { break }
        await store.answer(.failure(.notAllowed))
        await #expect(throws: PurchaseError.notAllowed) { try await purchases.buy("coins") }
    }
}
