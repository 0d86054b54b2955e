public import Crypto
public import Domain
internal import Encoding

/// Builds Stripe's events in its wire format, signed with a development server's secret. It does no I/O.
public struct SimulatedStripe: SimulatedStore {
    /// The version of Stripe's API in which the events are written.
    public enum Shape: String, CaseIterable, Sendable {
        /// 2025-03-31 and later: each item has its own period, and an invoice has a parent.
        case current
        case before2025
    }

    public static let provider = Provider.stripe

    public static let types = [
        "checkout.session.completed", "checkout.session.async_payment_succeeded",
        "checkout.session.async_payment_failed", "checkout.session.expired", "customer.subscription.created",
        "customer.subscription.updated", "customer.subscription.deleted", "customer.subscription.paused",
        "customer.subscription.resumed", "customer.subscription.trial_will_end",
        "customer.subscription.pending_update_applied", "customer.subscription.pending_update_expired",
        "subscription_schedule.updated", "subscription_schedule.released", "invoice.paid", "invoice.payment_succeeded",
        "invoice.payment_failed", "invoice.payment_action_required", "invoice.finalization_failed",
        "payment_intent.succeeded", "payment_intent.processing", "payment_intent.canceled", "charge.refunded",
        "refund.created", "refund.updated", "refund.failed", "charge.dispute.created", "charge.dispute.closed",
        "charge.dispute.funds_withdrawn", "charge.dispute.funds_reinstated",
        "entitlements.active_entitlement_summary.updated",
    ]

    private let secret: [UInt8]
    private let shape: Shape

    /// `secret` is the endpoint's secret, as the server knows it.
    public init(secret: String, shape: Shape = .current) {
        self.secret = Array(secret.utf8)
        self.shape = shape
    }

    /// The contract's id at Stripe, as entitlements name it. The facts of a new purchase hold only a number.
    public static func lineage(of facts: SimulatedSubscription) -> String {
        StripeID.make(facts.kind == .subscription ? "sub" : "pi", lineage: facts.lineage)
    }

    /// The subtype adds what the type leaves open. For a session: `unpaid`, `no_payment_required` or `setup`. For a new
    /// subscription: its status. For an update: the new status, or what changed (`renewed recovered cancel keep price
    /// pending_update schedule discount trial_end`). For a deletion or an invoice: the reason. For a refund: `partial`.
    /// For a closed dispute: `won` or `lost`.
    public func delivery(_ event: SimulatedEvent) throws(CryptoError) -> SimulatedDelivery {
        let id = event.id ?? "evt_" + Hex.encode(randomBytes(12))
        let content = StripeDocuments(event, shape: shape)
        var document: WireJSON = [
            "id": .text(id), "object": "event", "api_version": .text(content.version),
            "created": .number(event.now.seconds), "livemode": .flag(event.environment == .production),
            "pending_webhooks": 1, "request": ["id": nil, "idempotency_key": nil], "type": .text(event.type),
        ]
        if let app = event.app { document["account"] = .text(app) }
        var data: WireJSON = ["object": content.object]
        data["previous_attributes"] = content.previousAttributes
        document["data"] = data
        let body = document.bytes
        return SimulatedDelivery(
            path: "/webhooks/stripe",
            headers: [("Stripe-Signature", signature(of: body, at: event.now))],
            body: body,
            event: id,
            documents: content.answers.map { (path: $0.path, json: $0.json.bytes) }
        )
    }

    public func attempt(_ delivery: SimulatedDelivery, at now: Instant) -> SimulatedDelivery {
        var delivery = delivery
        delivery.headers = [("Stripe-Signature", signature(of: delivery.body, at: now))]
        return delivery
    }

    /// The value of the signature header, for tests that send another body, or another time.
    public func signature(of body: [UInt8], at now: Instant) -> String {
        let code = HMAC.authenticate(Array("\(now.seconds).".utf8) + body, key: secret)
        return "t=\(now.seconds),v1=\(Hex.encode(code))"
    }
}
