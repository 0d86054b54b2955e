import Domain

/// A Checkout session (https://docs.stripe.com/api/checkout/sessions/object). It is the first object that links an
/// order to what was bought.
struct StripeSession {
    /// How long a paid session gives access before the subscription's own events arrive.
    static let provisional = Duration.seconds(86_400)
    /// The product of a session that does not name one: Stripe leaves line items out of events.
    static let unnamed = "checkout"

    let object: StoreObject
    let catalog: Catalog

    private var token: OrderToken? {
        object.token ?? object.text("client_reference_id").flatMap { OrderToken($0) }
    }

    private var product: String {
        object.namedProduct ?? StripePrice.product(of: item?["price"], in: catalog) ?? StripeSession.unnamed
    }

    /// A subscription's session may sell other things beside the plan.
    private var item: StoreObject? {
        let items = object.list("line_items")
        let plan = items.first { StripePrice.isPlan($0.object("price")) }
        return object.text("mode") == "subscription" ? plan ?? items.first : items.first
    }

    private var isPaid: Bool { ["paid", "no_payment_required"].contains(object.text("payment_status")) }
    private var isComplete: Bool { object.text("status").map { $0 == "complete" } ?? true }

    func meaning(of envelope: StripeEnvelope) -> StripeMeaning {
        let observation =
            switch object.text("mode") {
            case "subscription": subscription(envelope)
            case "payment": payment(envelope)
            default: Observation?.none
            }
        let subtype = object.text("payment_status")
        return StripeMeaning(kind: kind(envelope.type), subtype: subtype, observation: observation)
    }

    private func kind(_ type: String) -> EventKind {
        switch type {
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
    private func subscription(_ envelope: StripeEnvelope) -> Observation? {
        guard let id = object.id("subscription") else { return nil }
        let made = object.seconds("created") ?? StripeSubscription.beforeAll
        var charge: Transaction?
        if isPaid, isComplete {
            charge = transaction(object.text("id") ?? id, signedAt: made, envelope: envelope)
            charge?.expiresAt = envelope.created + StripeSession.provisional
        }
        let waits = !isPaid && isComplete && envelope.type == "checkout.session.completed"
        return observation(envelope.key(id), kind: .subscription, transaction: charge, snapshot: waits ? pending : nil)
    }

    private func payment(_ envelope: StripeEnvelope) -> Observation? {
        guard let id = object.id("payment_intent") ?? object.text("id") else { return nil }
        let kind = catalog.kind(bought: product)
        if isPaid, isComplete {
            let charge = transaction(id, signedAt: envelope.created, envelope: envelope)
            return observation(envelope.key(id), kind: kind, transaction: charge)
        }
        switch envelope.type {
        case "checkout.session.completed":
            return observation(envelope.key(id), kind: kind, snapshot: pending)
        case "checkout.session.async_payment_failed", "checkout.session.expired":
            // A session that never had a payment leaves nothing to end.
            guard object.id("payment_intent") != nil else { return nil }
            let ended = Snapshot.of(.expired, product: product, at: envelope.created)
            return observation(envelope.key(id), kind: kind, snapshot: ended)
        default: return nil
        }
    }

    /// The first statement about a purchase, older than any other.
    private var pending: Snapshot { .of(.pending, product: product, at: StripeSubscription.beforeAll) }

    private func transaction(_ id: String, signedAt: Instant, envelope: StripeEnvelope) -> Transaction {
        let currency = object.text("currency")
        return Transaction(
            id: id,
            product: product,
            purchasedAt: object.text("mode") == "payment" ? envelope.created : signedAt,
            price: StripePrice.thousandths(object.amount("amount_total"), in: currency),
            currency: currency?.uppercased(),
            signedAt: signedAt
        )
    }

    private func observation(
        _ key: ContractKey,
        kind: ProductKind,
        transaction: Transaction? = nil,
        snapshot: Snapshot? = nil
    ) -> Observation {
        Observation(
            contract: key,
            kind: kind,
            token: token,
            account: object.id("customer"),
            transaction: transaction,
            snapshot: snapshot
        )
    }
}
