import APIModel
import Domain

/// Decides which purchase an event is about, from the request and what the user holds. Pure.
struct PurchaseChoice {
    private let request: StoreDriver.Request
    /// The user's purchases at this store, in the requested environment.
    private let held: [SimulatedSubscription]
    private let store: any SimulatedStore.Type

    init(_ request: StoreDriver.Request, at store: any SimulatedStore.Type, held: [ContractItem]) {
        self.request = request
        self.store = store
        let provider = store.provider
        self.held = held.filter {
            $0.provider == provider.rawValue && $0.environment == request.environment.rawValue
        }.compactMap(\.facts).filter { request.kind == nil || $0.mayBe(request.kind ?? $0.kind) }.map { facts in
            var facts = facts
            facts.kind = request.kind ?? facts.kind
            return facts
        }
    }

    var product: String {
        let isListed = request.kind == nil || request.kind == .subscription
        return request.product ?? (isListed ? SimulatedProduct.monthly.id : "paycast.extra")
    }
    var kind: ProductKind {
        request.kind ?? (request.isOneTime ? .nonConsumable : .subscription)
    }

    /// The purchase that an order announced: as the server knows it, or a new one.
    func facts(of order: OrderToken) -> SimulatedSubscription {
        let fresh = SimulatedSubscription(product: product, kind: kind, order: order)
        let lineage = store.lineage(of: fresh)
        guard let known = held.first(where: { $0.lineage == lineage }) else { return fresh }
        return aimed(known)
    }

    /// The existing purchase that the event continues; nil if the user buys something new.
    var heldFacts: SimulatedSubscription? {
        if let exact = held.first(where: { $0.product == request.product && !isBoughtAgain($0) }) { return exact }
        let isNew = [.initial, .trial].contains(request.meaning) || request.isOneTime || request.type == "SUBSCRIBED"
        guard request.product == nil && !isNew || changesPlan else { return nil }
        let isRunning: (SimulatedSubscription) -> Bool = { ![.expired, .revoked].contains($0.state) }
        return (held.first(where: isRunning) ?? held.first).map(aimed)
    }

    /// A consumable that was handed over is bought as often as one likes.
    private func isBoughtAgain(_ facts: SimulatedSubscription) -> Bool {
        let purchases = ["ONE_TIME_CHARGE", "NON_RENEWING_PURCHASE", "ONE_TIME_PRODUCT_PURCHASED"]
        return facts.state == .delivered && (request.meaning == .initial || purchases.contains(request.type))
    }

    private var changesPlan: Bool {
        request.meaning == .upgrade || request.meaning == .downgrade
            || ["DID_CHANGE_RENEWAL_PREF", "OFFER_REDEEMED"].contains(request.type)
    }

    /// For a change of plan, the request names the new product.
    private func aimed(_ facts: SimulatedSubscription) -> SimulatedSubscription {
        var facts = facts
        if changesPlan, let product = request.product { facts.pendingProduct = product }
        return facts
    }
}

extension SimulatedSubscription {
    /// The state tells the kind of product, unless the purchase is over or pending: then it may have been any kind.
    fileprivate func mayBe(_ asked: ProductKind) -> Bool {
        let isOver = [.expired, .revoked, .pending].contains(state)
        return isOver || (kind == .subscription) == (asked == .subscription)
    }
}

extension ContractItem {
    /// Nil if this simulator does not know the state.
    var facts: SimulatedSubscription? {
        guard let state = ContractState(rawValue: state) else { return nil }
        let kind: ProductKind =
            switch state {
            case .owned: .nonConsumable
            case .delivered: .consumable
            default: .subscription
            }
        return SimulatedSubscription(
            product: product,
            kind: kind,
            group: group,
            lineage: contract,
            state: state,
            accessUntil: accessUntil.flatMap { Instant(iso8601: $0) },
            autoRenew: autoRenew ?? true,
            pendingProduct: pendingProduct,
            isTrial: trial
        )
    }
}
