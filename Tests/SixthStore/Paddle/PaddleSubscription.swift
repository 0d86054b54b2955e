import Domain
import Stores

/// Paddle's subscription entity (https://developer.paddle.com/api-reference/subscriptions/overview), as its webhooks carry
/// it.
struct PaddleSubscription {
    private let id: String
    private let customer: String?
    private let order: OrderToken?
    private let product: String
    private let state: ContractState
    private let isEnding: Bool
    private let periodEnd: Instant?

    /// Nil without an id, or with a status that Paddle does not document.
    init?(_ object: StoreObject) {
        guard let id = object.text("id"), let status = object.text("status"),
            let state = PaddleSubscription.states.first(where: { $0.key == status })?.value
        else { return nil }
        self.id = id
        self.state = state
        customer = object.text("customer_id")
        order = object.object("custom_data")?.text("order").flatMap { OrderToken($0) }
        product = object.objects("items").first?.object("price")?.text("product_id") ?? ""
        isEnding = object.object("scheduled_change")?.text("action") == "cancel"
        periodEnd = object.object("current_billing_period")?.date("ends_at")
    }

    private static let states: KeyValuePairs<String, ContractState> = [
        "active": .active, "trialing": .active, "past_due": .inBillingRetry, "paused": .paused, "canceled": .expired,
    ]

    func kind(of type: String) -> EventKind {
        switch type {
        case "subscription.created", "subscription.activated": .subscriptionStarted
        case "subscription.canceled": .subscriptionExpired
        case "subscription.past_due": .billingRetry
        default: isEnding ? .autoRenewOff : .subscriptionRenewed
        }
    }

    func observation(at now: Instant) -> Observation {
        let key = ContractKey(
            provider: PaddleStore.provider,
            environment: .production,
            app: PaddleStore.provider.rawValue,
            lineage: id
        )
        var observation = Observation(contract: key, kind: .subscription)
        observation.token = order
        observation.account = customer
        observation.snapshot = Snapshot(
            state: isEnding && state == .active ? .cancelled : state,
            product: product,
            autoRenew: state == .active && !isEnding,
            accessUntil: state == .active ? periodEnd : min(now, periodEnd ?? now),
            signedAt: now
        )
        return observation
    }
}
