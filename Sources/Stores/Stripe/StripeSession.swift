import Domain

/// A Checkout session (https://docs.stripe.com/api/checkout/sessions/object). It is the first object that links an
/// order to what was bought.
struct StripeSession {
    /// How long a paid session gives access before the subscription's own events arrive.
    static let provisional = Duration.seconds(86_400)
    /// The product of a session that does not name one: Stripe leaves line items out of events.
    static let unnamed = "checkout"

    let envelope: StripeEnvelope

    private var object: StoreObject { envelope.object }

    private var token: OrderToken? {
        object.token ?? object.text("client_reference_id").flatMap { OrderToken($0) }
    }

    private var product: String {
        object.namedProduct ?? StripePrice.product(of: item?["price"], in: envelope.catalog) ?? StripeSession.unnamed
    }

    /// A subscription's session may sell other things beside the plan.
    private var item: StoreObject? {
        let items = object.list("line_items")
        let plan = items.first { StripePrice.isPlan($0.object("price")) }
        return object.text("mode") == "subscription" ? plan ?? items.first : items.first
    }

    private var isPaid: Bool { ["paid", "no_payment_required"].contains(object.text("payment_status")) }
    private var isComplete: Bool { object.text("status").map { $0 == "complete" } ?? true }

    var event: Event {
        let observation =
            switch object.text("mode") {
            case "subscription": subscription
            case "payment": payment
            default: Observation?.none
            }
        return envelope.event(kind, subtype: object.text("payment_status"), observation: observation)
    }

    private var kind: EventKind {
        switch envelope.type {
        case "checkout.session.completed", "checkout.session.async_payment_succeeded": kindWhenComplete
        case "checkout.session.async_payment_failed", "checkout.session.expired": .purchasePendingCancelled
        default: .providerUnknown
        }
    }

    private var kindWhenComplete: EventKind {
        switch object.text("mode") {
        case "subscription": isPaid ? .subscriptionStarted : .purchasePending
        case "payment": isPaid ? .purchaseCompleted : .purchasePending
        default: .contractUpdated
        }
    }

    /// The subscription's own events decide, because they are all newer than the creation of the session.
    private var subscription: Observation? {
        guard let id = object.id("subscription") else { return nil }
        let made = object.seconds("created") ?? StripeSubscription.beforeAll
        var charge: Transaction?
        if isPaid, isComplete {
            charge = transaction(object.text("id") ?? id, signedAt: made)
            charge?.expiresAt = envelope.created + StripeSession.provisional
        }
        let waits = !isPaid && isComplete && envelope.type == "checkout.session.completed"
        return observation(id, kind: .subscription, transaction: charge, snapshot: waits ? pending : nil)
    }

    private var payment: Observation? {
        guard let id = object.id("payment_intent") ?? object.text("id") else { return nil }
        let kind = envelope.catalog.kind(bought: product)
        if isPaid, isComplete {
            let charge = transaction(id, signedAt: envelope.created)
            var observation = observation(id, kind: kind, transaction: charge)
            var terms = ChargeTerms(charge, order: token)
            let tax = object.object("total_details")?.amount("amount_tax")
            terms.tax = StripePrice.thousandths(tax, in: object.text("currency"))
            observation.charges = [Charge(id: id, terms: terms)]
            return observation
        }
        switch envelope.type {
        case "checkout.session.completed":
            return observation(id, kind: kind, snapshot: pending)
        case "checkout.session.async_payment_failed", "checkout.session.expired":
            // A session that never had a payment leaves nothing to end.
            guard object.id("payment_intent") != nil else { return nil }
            let ended = Snapshot.of(.expired, product: product, at: envelope.created)
            return observation(id, kind: kind, snapshot: ended)
        default: return nil
        }
    }

    /// The first statement about a purchase, older than any other.
    private var pending: Snapshot { .of(.pending, product: product, at: StripeSubscription.beforeAll) }

    private func transaction(_ id: String, signedAt: Instant) -> Transaction {
        let purchasedAt = object.text("mode") == "payment" ? envelope.created : signedAt
        return object.transaction(id, of: product, "amount_total", purchasedAt: purchasedAt, signedAt: signedAt)
    }

    private func observation(
        _ id: String,
        kind: ProductKind,
        transaction: Transaction? = nil,
        snapshot: Snapshot? = nil
    ) -> Observation {
        var observation = Observation(contract: envelope.key(id), kind: kind)
        observation.token = token
        observation.account = object.id("customer")
        observation.transaction = transaction
        observation.snapshot = snapshot
        return observation
    }
}
