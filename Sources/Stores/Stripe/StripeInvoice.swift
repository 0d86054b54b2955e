internal import Domain

/// An invoice. Only those of subscriptions matter: a one-time purchase is known from its Checkout session.
struct StripeInvoice {
    let object: StoreObject
    let catalog: Catalog

    /// Since API version 2025-03-31 an invoice names its subscription in `parent`.
    private var details: StoreObject? {
        object.object("parent", "subscription_details") ?? object.object("subscription_details")
    }
    private var subscription: String? { object.id("subscription") ?? details?.id("subscription") }

    func meaning(of envelope: StripeEnvelope) -> StripeMeaning {
        let meaning = StripeMeaning(kind: kind(of: envelope.type), subtype: object.text("billing_reason"))
        guard let subscription else { return meaning }
        let observation = Observation(
            contract: envelope.key(subscription),
            kind: .subscription,
            token: details?.token ?? object.object("subscription")?.token ?? object.token,
            account: object.id("customer"),
            transaction: isPaid ? transaction : nil
        )
        return StripeMeaning(kind: meaning.kind, subtype: meaning.subtype, observation: observation)
    }

    private var isPaid: Bool { object.text("status") == "paid" || object.flag("paid") == true }

    private func kind(of type: String) -> EventKind {
        switch (type, object.text("billing_reason")) {
        case ("invoice.paid", "subscription_create"), ("invoice.payment_succeeded", "subscription_create"):
            .subscriptionStarted
        case ("invoice.paid", "subscription_cycle"), ("invoice.payment_succeeded", "subscription_cycle"):
            .subscriptionRenewed
        case ("invoice.paid", "subscription_update"), ("invoice.payment_succeeded", "subscription_update"): .planChanged
        case ("invoice.payment_failed", "subscription_create"): .purchasePending
        case ("invoice.payment_failed", _): .graceStarted
        case ("invoice.paid", _), ("invoice.payment_succeeded", _), ("invoice.payment_action_required", _),
            ("invoice.finalization_failed", _):
            .contractUpdated
        default: .providerUnknown
        }
    }

    /// The lines that charge for the subscription's plan.
    private var plans: [StripeInvoiceLine] {
        guard let created = object.seconds("created") else { return [] }
        let plans = lines.filter { $0.isPlan(invoicedAt: created) }
        let ofItems = plans.filter { $0.item != nil }
        return ofItems.isEmpty ? plans : ofItems
    }

    private var lines: [StripeInvoiceLine] {
        object.list("lines").compactMap { StripeInvoiceLine($0, catalog: catalog) }
    }

    /// Whether it waits for its payment, and asks for other things than the period that began at `start`: so the period
    /// was paid before.
    func chargesOnlyBeside(periodFrom start: Instant) -> Bool {
        let isWhole = object.object("lines")?.flag("has_more") != true && !lines.isEmpty
        let isWaiting = ["open", "uncollectible"].contains(object.text("status"))
        return isWhole && isWaiting && !plans.contains { !$0.isProration && $0.start.map { $0 <= start } ?? true }
    }

    /// The period that was paid for. It is dated by the creation of the invoice, so that everything that was said about
    /// the subscription since then, above all its end, is newer.
    private var transaction: Transaction? {
        guard let id = object.text("id"), let created = object.seconds("created"), let line = speaking,
            let product = line.product
        else { return nil }
        let currency = object.text("currency")
        return Transaction(
            id: id,
            product: product,
            purchasedAt: line.start ?? created,
            expiresAt: line.end,
            price: StripePrice.thousandths(object.amount("amount_paid"), in: currency),
            currency: currency?.uppercased(),
            signedAt: created
        )
    }

    /// The line of the item that represents the subscription. If one item has several, the period that ends last.
    private var speaking: StripeInvoiceLine? {
        plans.min { left, right in
            guard left.isNamed == right.isNamed else { return left.isNamed }
            let first = (left.item ?? "").utf8
            let second = (right.item ?? "").utf8
            guard first.elementsEqual(second) else { return first.lexicographicallyPrecedes(second) }
            return left.end > right.end
        }
    }
}
