internal import Domain
internal import Pages
internal import Stores
internal import Support

/// Lets the store read a posted purchase, on a thread that may wait for it. The stores' own code is in their folders.
struct PostedPurchaseReader<Purchase: PostedPurchase> {
    let services: Services
    let provider: Provider

    /// Calls one of the two, on any thread. Returns false if too much is waiting; then it calls neither.
    func read(
        _ purchase: Purchase,
        commit: @escaping @Sendable (PurchaseReading) -> Void,
        refuse: @escaping @Sendable (Response) -> Void
    ) -> Bool {
        guard let store = services.opened[provider] as? Purchase.Opened else {
            refuse(refusal(.unproven(.notConfigured)))
            return true
        }
        return services.submit(waitingFor: Purchase.asks(store) ? .app(provider) : nil) {
            do throws(RefusedPurchase) {
                commit(try purchase.read(with: store, now: services.clock.now()))
            } catch {
                refuse(refusal(error))
            }
        } orElse: {
            refuse(.busy)
        }
    }

    private func refusal(_ error: RefusedPurchase) -> Response {
        services.refusals.post(Purchase.refusal, from: provider, reason: error.code, detail: error.detail)
        return .refused(error)
    }
}
