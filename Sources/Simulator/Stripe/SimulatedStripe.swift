public import Crypto
public import Domain
import Encoding

/// Builds Stripe's events in its wire format, signed with a development server's secret. It does no I/O.
public struct SimulatedStripe: SharedSecretStore {
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

    /// The part after the slash says what an update changed; Stripe's own name ends before it.
    public static let steps: StepNames = [
        .initial: "customer.subscription.created",
        .trial: "customer.subscription.created/trialing",
        .renew: "customer.subscription.updated/renewed",
        .grace: "customer.subscription.updated/past_due",
        .retry: "customer.subscription.updated/unpaid",
        .recover: "customer.subscription.updated/recovered",
        .cancel: "customer.subscription.updated/cancel",
        .resume: "customer.subscription.updated/keep",
        .expire: "customer.subscription.deleted",
        // A charge does not name its subscription. A deletion after a dispute does, and returns the money.
        .refund: "customer.subscription.deleted/payment_disputed",
        .pause: "customer.subscription.paused",
        .upgrade: "customer.subscription.updated/price",
        .downgrade: "customer.subscription.updated/pending_update",
    ]

    /// At Stripe, a subscription that ended never comes back; a one-time purchase comes back when a dispute is won.
    public static let stepsOnce: StepNames = [
        .initial: "checkout.session.completed", .refund: "charge.refunded",
        .reversed: "charge.dispute.funds_reinstated",
    ]

    private let secret: [UInt8]
    private let shape: Shape

    /// `secret` is the endpoint's secret, as the server knows it.
    public init(secret: String) {
        self.init(secret: secret, shape: .current)
    }

    public init(secret: String, shape: Shape) {
        self.secret = Array(secret.utf8)
        self.shape = shape
    }

    /// The contract's id at Stripe, as entitlements name it. The facts of a new purchase hold only a number.
    public static func lineage(of facts: SimulatedSubscription) -> String {
        stripeID(facts.kind == .subscription ? "sub" : "pi", lineage: facts.lineage)
    }

    /// The subtype adds what the type leaves open. For a session: `unpaid`, `no_payment_required` or `setup`. For a new
    /// subscription: its status. For an update: the new status, or what changed (`renewed recovered cancel keep price
    /// pending_update schedule discount trial_end`). For a deletion or an invoice: the reason. For a refund: `partial`.
    /// For a closed dispute: `won` or `lost`.
    public func delivery(_ event: SimulatedEvent) throws(CryptoError) -> SimulatedDelivery {
        let id = event.id ?? "evt_" + Hex.encode(randomBytes(12))
        let content = StripeDocuments(event, shape: shape)
        let document: WireJSON = [
            "id": .text(id), "object": "event", "api_version": .text(content.version),
            "created": .number(event.now.seconds), "livemode": .flag(event.environment == .production),
            "pending_webhooks": 1, "request": ["id": .null, "idempotency_key": .null], "type": .text(event.type),
            "account": event.app.map { .text($0) },
            "data": ["object": content.object, "previous_attributes": content.previousAttributes],
        ]
        var delivery = try post(document.bytes, event: id, at: event.now)
        delivery.documents = content.answers.map { (path: $0.path, json: $0.json.bytes) }
        return delivery
    }

    public func headers(of body: [UInt8], at now: Instant) -> [(String, String)] {
        [("Stripe-Signature", signature(of: body, at: now))]
    }

    /// The value of the signature header, for tests that send another body, or another time.
    public func signature(of body: [UInt8], at now: Instant) -> String {
        let code = HMAC.authenticate(Array("\(now.seconds).".utf8) + body, key: secret)
        return "t=\(now.seconds),v1=\(Hex.encode(code))"
    }
}

/// Stripe's objects around one purchase, in their state after an event.
struct StripeDocuments {
    let event: SimulatedEvent
    let shape: SimulatedStripe.Shape
    let model: StripeSubscriptionModel
    let isSubscription: Bool

    init(_ event: SimulatedEvent, shape: SimulatedStripe.Shape) {
        self.event = event
        self.shape = shape
        isSubscription = event.facts.kind == .subscription
        var model = StripeSubscriptionModel(event.facts, now: event.now)
        model.apply(event.type, subtype: event.subtype)
        self.model = model
    }

    var version: String { shape == .current ? "2025-03-31.basil" : "2024-06-20" }

    /// The object that the event is about.
    var object: WireJSON {
        let family = event.type.split(separator: ".").first ?? ""
        return switch family {
        case "checkout": session
        case "invoice": invoice
        case "payment_intent": paymentIntent
        case "charge": event.type.hasPrefix("charge.dispute.") ? dispute : charge
        case "refund": refund
        case "subscription_schedule": schedule
        case "entitlements": ["object": "entitlements.active_entitlement_summary", "customer": .text(customer)]
        default: subscription(shape)
        }
    }

    var previousAttributes: WireJSON? {
        guard event.type == "customer.subscription.updated" else { return nil }
        let before = model.before
        let price = before.price.map { SimulatedProduct(id: $0, kind: .subscription) } ?? model.price
        let hasItems = before.price != nil || (shape == .current && before.periodEnd != nil)
        return [
            "status": before.status.map { .text($0) }, "cancel_at_period_end": before.isEnding.map { .flag($0) },
            "discounts": before.isDiscounted == nil ? nil : [],
            (model.hasSchedule ? "schedule" : "pending_update"): before.nextPrice == nil ? nil : .null,
            "trial_end": before.trialEnd.map { seconds($0) },
            "current_period_end": shape == .before2025 ? before.periodEnd.map { seconds($0) } : nil,
            "items": hasItems ? items(price, end: before.periodEnd ?? model.periodEnd, shape: shape) : nil,
        ]
    }

    /// The API's answers from now on, in the version before 2025, which joins a charge to its invoice.
    var answers: [(path: String, json: WireJSON)] {
        guard isSubscription else { return [("/v1/charges/\(id("ch"))", chargeRead)] }
        var read = subscription(.before2025)
        read["latest_invoice"] = [
            "id": .text(invoiceID), "object": "invoice",
            "charge": ["id": .text(id("ch")), "object": "charge", "refunded": .flag(model.isRefunded)],
        ]
        if model.hasSchedule { read["schedule"] = schedule }
        return [("/v1/subscriptions/\(model.id)", read), ("/v1/charges/\(id("ch"))", chargeRead)]
    }

    private var chargeRead: WireJSON {
        var charge = charge
        charge["invoice"] =
            isSubscription
            ? ["id": .text(invoiceID), "object": "invoice", "subscription": .text(model.id)] : .null
        return charge
    }
}

extension StripeDocuments {
    var customer: String { "cus_" + StoreID.make(event.user ?? event.facts.lineage) }

    var metadata: WireJSON {
        event.token.map { ["order": .text($0.description), "product": .text(event.facts.product)] } ?? [:]
    }

    func id(_ prefix: String) -> String { stripeID(prefix, lineage: event.facts.lineage) }

    /// Each period has one of its own.
    var invoiceID: String { "\(id("in"))_\(model.periodStart.seconds)" }

    func seconds(_ instant: Instant?) -> WireJSON { instant.map { .number($0.seconds) } ?? .null }

    func price(_ product: SimulatedProduct) -> WireJSON {
        [
            "id": .text(product.id), "object": "price", "currency": "usd", "lookup_key": .null,
            "product": .text("prod_\(product.group ?? "0")"), "unit_amount": .number(product.price / 10),
        ]
    }

    func items(_ product: SimulatedProduct, end: Instant, shape: SimulatedStripe.Shape) -> WireJSON {
        let addOns = event.facts.addOns.reversed().map { addOn in
            let id = "\(id("si"))_\(addOn.product)"
            return item(id, product: SimulatedProduct(id: addOn.product, kind: .subscription), end: end, shape: shape)
        }
        return ["object": "list", "data": .list(addOns + [item(id("si"), product: product, end: end, shape: shape)])]
    }

    private func item(_ id: String, product: SimulatedProduct, end: Instant, shape: SimulatedStripe.Shape)
        -> WireJSON
    {
        [
            "id": .text(id), "object": "subscription_item", "price": price(product),
            "current_period_start": shape == .current ? seconds(model.periodStart) : nil,
            "current_period_end": shape == .current ? seconds(end) : nil,
        ]
    }

    func subscription(_ shape: SimulatedStripe.Shape) -> WireJSON {
        let next = model.hasSchedule ? nil : model.nextPrice.map { SimulatedProduct(id: $0, kind: .subscription) }
        return [
            "id": .text(model.id), "object": "subscription", "status": .text(model.status),
            "customer": .text(customer), "livemode": .flag(event.environment == .production), "metadata": metadata,
            "created": seconds(min(model.periodStart, event.now)),
            "items": items(model.price, end: model.periodEnd, shape: shape),
            "cancel_at_period_end": .flag(model.isEnding), "cancel_at": seconds(model.isEnding ? model.periodEnd : nil),
            "canceled_at": seconds(model.endedAt), "ended_at": seconds(model.endedAt),
            "cancellation_details": ["reason": model.reason.map { .text($0) } ?? .null],
            "trial_end": seconds(model.trialEnd), "discounts": model.isDiscounted ? ["di_1"] : [],
            "latest_invoice": .text(invoiceID), "pause_collection": .null,
            "schedule": model.hasSchedule ? .text(id("sub_sched")) : .null,
            "pending_update": next.map { ["subscription_items": .list([["price": price($0)]])] } ?? .null,
            "current_period_start": shape == .before2025 ? seconds(model.periodStart) : nil,
            "current_period_end": shape == .before2025 ? seconds(model.periodEnd) : nil,
        ]
    }

    var session: WireJSON {
        let isSetup = event.subtype == "setup"
        let hasExpired = event.type == "checkout.session.expired"
        let isUnpaid = hasExpired || event.type.hasSuffix("_failed") || event.subtype == "unpaid"
        let status = event.subtype == "no_payment_required" ? "no_payment_required" : isUnpaid ? "unpaid" : "paid"
        let payment = hasExpired && shape == .current ? WireJSON.null : .text(id("pi"))
        return [
            "id": .text(id("cs_test")), "object": "checkout.session", "created": seconds(event.now - .seconds(60)),
            "mode": isSetup ? "setup" : isSubscription ? "subscription" : "payment", "metadata": metadata,
            "status": hasExpired ? "expired" : "complete", "payment_status": .text(status),
            "client_reference_id": event.token.map { .text($0.description) } ?? .null, "customer": .text(customer),
            "subscription": isSubscription && !isSetup && !hasExpired ? .text(model.id) : .null,
            "payment_intent": isSubscription || isSetup ? .null : payment,
            "amount_total": .number(product.price / 10), "currency": "usd",
        ]
    }

    var product: SimulatedProduct {
        isSubscription ? model.price : SimulatedProduct(id: event.facts.product, kind: event.facts.kind)
    }
}

extension StripeDocuments {
    var invoice: WireJSON {
        let reason = event.subtype ?? "subscription_cycle"
        let isPaid = event.type == "invoice.paid" || event.type == "invoice.payment_succeeded"
        let isCurrent = shape == .current
        let details: WireJSON = ["subscription": .text(model.id), "metadata": metadata]
        let line: WireJSON = [
            "id": .text(id("il")), "object": "line_item",
            "period": ["start": seconds(model.periodStart), "end": seconds(model.periodEnd)],
            "pricing": isCurrent
                ? ["price_details": ["price": .text(model.price.id), "product": "prod_0"]] : nil,
            "price": isCurrent ? nil : price(model.price),
        ]
        return [
            "id": .text(invoiceID), "object": "invoice", "created": seconds(event.now),
            "billing_reason": .text(reason), "customer": .text(customer), "currency": "usd",
            "status": isPaid ? "paid" : "open", "amount_paid": .number(isPaid ? model.price.price / 10 : 0),
            "metadata": [:],
            "parent": isCurrent ? ["type": "subscription_details", "subscription_details": details] : nil,
            "subscription": isCurrent ? nil : .text(model.id),
            "subscription_details": isCurrent ? nil : ["metadata": metadata],
            "lines": ["object": "list", "data": .list([line])],
        ]
    }

    var paymentIntent: WireJSON {
        let status = event.type.split(separator: ".").last.map(String.init) ?? ""
        return [
            "id": .text(id("pi")), "object": "payment_intent", "status": .text(status), "customer": .text(customer),
            "created": seconds(event.now - .seconds(30)), "metadata": metadata, "currency": "usd",
            "amount_received": .number(status == "succeeded" ? product.price / 10 : 0),
        ]
    }

    /// The metadata of a one-time purchase reaches its charge if `payment_intent_data` contains them; the charge of an
    /// invoice has none.
    var charge: WireJSON {
        let amount = product.price / 10
        let isPartial = event.subtype == "partial"
        return [
            "id": .text(id("ch")), "object": "charge", "amount": .number(amount), "currency": "usd",
            "amount_refunded": .number(isPartial ? amount / 2 : amount), "refunded": .flag(!isPartial),
            "customer": .text(customer), "payment_intent": .text(id("pi")),
            "metadata": isSubscription ? [:] : metadata, "livemode": .flag(event.environment == .production),
            "invoice": shape == .current ? nil : isSubscription ? .text(invoiceID) : .null,
        ]
    }

    var refund: WireJSON {
        let status = event.type == "refund.failed" ? "failed" : event.subtype ?? "succeeded"
        return [
            "id": .text(id("re")), "object": "refund", "amount": .number(product.price / 10), "currency": "usd",
            "charge": .text(id("ch")), "payment_intent": .text(id("pi")), "status": .text(status), "metadata": [:],
        ]
    }

    var dispute: WireJSON {
        let isClosed = event.type == "charge.dispute.closed"
        return [
            "id": .text(id("du")), "object": "dispute", "amount": .number(product.price / 10), "currency": "usd",
            "charge": .text(id("ch")), "payment_intent": .text(id("pi")), "metadata": [:],
            "status": .text(isClosed ? event.subtype ?? "lost" : event.subtype ?? "needs_response"),
        ]
    }

    var schedule: WireJSON {
        let isReleased = event.type == "subscription_schedule.released"
        let next = model.nextPrice ?? model.price.id
        return [
            "id": .text(id("sub_sched")), "object": "subscription_schedule", "customer": .text(customer),
            "status": isReleased ? "released" : "active", "subscription": isReleased ? .null : .text(model.id),
            "released_subscription": isReleased ? .text(model.id) : .null,
            "current_phase": ["start_date": seconds(model.periodStart), "end_date": seconds(model.periodEnd)],
            "phases": [
                ["start_date": seconds(model.periodStart), "items": [["price": .text(model.price.id)]]],
                ["start_date": seconds(model.periodEnd), "items": [["price": .text(next)]]],
            ],
        ]
    }
}
