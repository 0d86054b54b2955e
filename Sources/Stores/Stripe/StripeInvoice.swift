import Domain

/// An invoice. Only those of subscriptions matter: a one-time purchase is known from its Checkout session.
struct StripeInvoice {
    let object: StoreObject
    let catalog: Catalog

    /// Since API version 2025-03-31 an invoice names its subscription in `parent`.
    private var details: StoreObject? {
        object.object("parent", "subscription_details") ?? object.object("subscription_details")
    }
    var subscription: String? { object.id("subscription") ?? details?.id("subscription") }

    func event(in envelope: StripeEnvelope) -> Event {
        let observation = subscription.map { subscription in
            var observation = Observation(contract: envelope.key(subscription), kind: .subscription)
            observation.token = details?.token ?? object.object("subscription")?.token ?? object.token
            observation.account = object.id("customer")
            observation.transaction = isPaid ? transaction : nil
            observation.charges = charge(order: observation.token).map { [$0] } ?? []
            return observation
        }
        let subtype = object.text("billing_reason")
        return envelope.event(kind(of: envelope.type), subtype: subtype, observation: observation)
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
        return object.transaction(
            id,
            of: product,
            "amount_paid",
            purchasedAt: line.start ?? created,
            expiresAt: line.end,
            signedAt: created
        )
    }

    /// The row of what was paid, for all that the invoice lists; nil while it is not paid.
    func charge(order: OrderToken?) -> Charge? {
        guard isPaid, let id = object.text("id"), let created = object.seconds("created") else { return nil }
        let (currency, line) = (object.text("currency"), speaking ?? lines.first)
        let paidAt = object.object("status_transitions")?.seconds("paid_at")
        var terms = ChargeTerms(product: line?.product ?? "", purchasedAt: paidAt ?? created, statedAt: created)
        terms.price = StripePrice.thousandths(object.amount("amount_paid"), in: currency)
        terms.currency = currency?.uppercased()
        terms.tax = StripePrice.thousandths(tax, in: currency)
        terms.quantity = max(1, Int(clamping: line?.quantity ?? 1))
        terms.isTrial = line?.isTrial ?? false
        terms.offer = (object.object("discount") ?? object.objects("discounts").first)?.object("coupon")?.text("id")
        terms.expiresAt = line?.end
        terms.order = order
        return Charge(id: id, terms: terms)
    }

    /// In a currency's smallest unit; nil where none is counted. Since API version 2025-03-31 it is in `total_taxes`.
    private var tax: Int64? {
        if let tax = object.amount("tax") { return tax }
        let parts = (object.objects("total_taxes") + object.objects("total_tax_amounts")).compactMap {
            $0.amount("amount")
        }
        return parts.isEmpty ? nil : parts.reduce(0) { $0.addingReportingOverflow($1).partialValue }
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

/// A line of an invoice (https://docs.stripe.com/api/invoice-line-item/object). Since API version 2025-03-31, `pricing`
/// names its price, and `parent` the item of the subscription.
struct StripeInvoiceLine {
    let start: Instant?
    let end: Instant
    /// Nil for what does not belong to an item of the subscription, such as a set-up fee.
    let item: String?
    let product: String?
    let isNamed: Bool
    let isProration: Bool
    private let object: StoreObject
    private let price: StoreObject?

    /// Nil without the end of a period.
    init?(_ object: StoreObject, catalog: Catalog) {
        guard let end = object.object("period")?.seconds("end") else { return nil }
        let details =
            object.object("parent", "subscription_item_details") ?? object.object("parent", "invoice_item_details")
        let pricing = object.object("pricing", "price_details")
        self.object = object
        self.end = end
        start = object.object("period")?.seconds("start")
        item = object.id("subscription_item") ?? details?.id("subscription_item")
        isProration = object.flag("proration") ?? details?.flag("proration") ?? false
        price = StoreObject(object["price"] ?? object["plan"]) ?? pricing?.object("price")
        let stated = StripePrice.product(of: object["price"] ?? object["plan"] ?? pricing?["price"], in: catalog)
        let names = [stated, pricing?.id("product")].compactMap(\.self)
        product = names.first { catalog[$0] != nil } ?? names.first
        isNamed = product.map { catalog[$0] != nil } ?? false
    }

    var quantity: Int64? { object.amount("quantity") }

    /// Nothing is charged for what costs something: a discount is not in the line's amount.
    var isTrial: Bool {
        object.amount("amount") == 0 && (price?.amount("unit_amount") ?? price?.amount("amount") ?? 0) > 0
    }

    /// A change of plan credits the old plan on a separate line.
    private var isCredit: Bool { (object.amount("amount") ?? 0) < 0 }

    /// Whether it charges for the subscription's licensed plan: neither for something else, once, nor for usage.
    ///
    /// Where the shape does not say what is metered, its period does: usage is charged when it is over, a plan before.
    func isPlan(invoicedAt created: Instant) -> Bool {
        guard !isCredit, end > created, object.amount("quantity") != 0, StripePrice.isPlan(price) else { return false }
        let isOfNoItem = object.text("type") == "invoiceitem" || object.object("parent", "invoice_item_details") != nil
        return item != nil || isProration || !isOfNoItem
    }
}
