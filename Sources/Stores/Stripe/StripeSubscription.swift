import Domain
import Encoding

/// A subscription (https://docs.stripe.com/api/subscriptions/object). Its status decides the state.
struct StripeSubscription {
    /// How long an unpaid period gives access while Stripe retries; Stripe recommends two weeks of retries. The next
    /// status comes before that, unless the account leaves such subscriptions alone.
    static let grace = Duration.seconds(30 * 86_400)
    /// In days; longer than any period.
    private static let longestTerm: Int64 = 3_650

    private let object: StoreObject
    private let catalog: Catalog
    /// The item that this value is about: the one that represents the subscription, or a further one.
    private let item: StoreObject?
    private let line: String?

    init(_ object: StoreObject, catalog: Catalog, further item: StoreObject? = nil, line: String? = nil) {
        self.object = object
        self.catalog = catalog
        self.item = item ?? StripeSubscription.items(of: object, in: catalog).first
        self.line = line
    }

    /// This subscription once for each of its further items.
    private var further: [StripeSubscription] {
        StripeSubscription.items(of: object, in: catalog).dropFirst().compactMap { item in
            item.text("id").map { StripeSubscription(object, catalog: catalog, further: item, line: $0) }
        }
    }

    /// False when Stripe cut off a long list of items.
    var isWhole: Bool { item != nil && object.object("items")?.flag("has_more") != true }

    var id: String? { object.text("id") }
    var status: String? { object.text("status") }

    /// Final: no other status follows.
    var isOver: Bool { status == "canceled" || status == "incomplete_expired" }

    var product: String? {
        StripePrice.product(of: item?["price"] ?? item?["plan"] ?? object["plan"], in: catalog)
    }

    /// Since API version 2025-03-31 the period belongs to the item.
    private var periodStart: Instant? {
        object.seconds("current_period_start") ?? item?.seconds("current_period_start")
    }
    var periodEnd: Instant? { object.seconds("current_period_end") ?? item?.seconds("current_period_end") }

    /// It ends with the current period. A subscription that ends later is renewed until then.
    private var isEnding: Bool {
        if object.flag("cancel_at_period_end") == true { return true }
        guard let end = object.seconds("cancel_at") else { return false }
        return periodEnd.map { end <= $0 } ?? true
    }

    var renews: Bool { !isEnding && !isOver }

    /// Nil for an undocumented status, and when the end of a current period is not stated: access without an end is
    /// never guessed.
    func snapshot(statedAt: Instant) -> Snapshot? {
        guard let product, let standing = state(statedAt) else { return nil }
        let (isClosed, renews) = (isClosed, renews)
        return Snapshot(
            state: standing.state,
            product: product,
            pendingProduct: renews && !isClosed && line == nil ? pendingProduct(of: product) : nil,
            autoRenew: renews && !isClosed,
            accessUntil: standing.until,
            signedAt: standing.state == .pending ? StripeSubscription.beforeAll : statedAt,
            isTrial: status == "trialing" && !isClosed
        )
    }

    /// `incomplete` is always a subscription's first status and never returns, so it counts as older than any other,
    /// whenever it was stated: events overtake each other, and their dates are whole seconds
    /// (https://github.com/laravel/cashier-stripe/issues/1759).
    static let beforeAll = Instant(milliseconds: 0)

    func observation(_ key: ContractKey, snapshot: Snapshot?) -> Observation {
        var observation = Observation(contract: key, kind: .subscription)
        observation.token = object.token
        observation.account = object.id("customer")
        observation.snapshot = snapshot
        return observation
    }

    /// Nobody uses an item of quantity 0, and no invoice charges for it. A metered item has no quantity.
    private var isClosed: Bool { item?.amount("quantity") == 0 && status != "incomplete" && !isOver }

    private func state(_ statedAt: Instant) -> (state: ContractState, until: Instant?)? {
        // Since when is not stated.
        if isClosed { return (.expired, nil) }
        switch status {
        case "incomplete": return (.pending, nil)
        case "incomplete_expired": return (.expired, nil)
        case "trialing", "active":
            let end = [periodEnd ?? object.seconds("trial_end"), object.seconds("cancel_at")].compactMap { $0 }.min()
            return end.map { (isEnding ? .cancelled : .active, $0) }
        case "past_due": return grace.map(boundGrace)
        case "unpaid": return (.inBillingRetry, periodStart.map { min($0, statedAt) })
        case "paused": return (.paused, nil)
        case "canceled":
            let end = object.seconds("ended_at") ?? object.seconds("canceled_at") ?? statedAt
            return (isTakenBack ? .revoked : .expired, end)
        default: return nil
        }
    }

    /// An invoice that is sent is late only when it is overdue, so its grace begins then.
    private var grace: Instant? {
        let days = object.text("collection_method") == "send_invoice" ? object.amount("days_until_due") ?? 0 : 0
        let due = Duration.seconds(min(max(days, 0), StripeSubscription.longestTerm) * 86_400)
        let end = [periodEnd, periodStart.map { $0 + due + StripeSubscription.grace }].compactMap { $0 }.min()
        return paidPeriod ?? end
    }

    /// The end of the period, when what waits for payment is something else, such as a change in the middle of it.
    /// Only our own reading of the API shows the invoice; without one, the charge that is known outlasts the grace.
    private var paidPeriod: Instant? {
        guard let start = periodStart, let latest = object.object("latest_invoice") else { return nil }
        let invoice = StripeInvoice(object: latest, catalog: catalog)
        return invoice.chargesOnlyBeside(periodFrom: start) ? periodEnd : nil
    }

    /// The state is no grace when the subscription ends before the grace would: nothing extends access beyond that.
    private func boundGrace(_ end: Instant) -> (state: ContractState, until: Instant?) {
        guard let last = object.seconds("cancel_at"), last < end else { return (.inGracePeriod, end) }
        return (.cancelled, last)
    }

    /// A dispute ended it, or its last charge was refunded, which only our own reading of the API shows.
    private var isTakenBack: Bool {
        if object.object("cancellation_details")?.text("reason") == "payment_disputed" { return true }
        return object.object("latest_invoice", "charge")?.flag("refunded") == true
    }

    /// A change of plan that waits for its payment, or for the next phase of an expanded schedule.
    private func pendingProduct(of current: String) -> String? {
        let update = object.object("pending_update")
        let waiting = update?.list("subscription_items").compactMap { $0["price"] } ?? []
        let schedule = object.object("schedule")
        let phaseEnd = schedule?.object("current_phase")?.seconds("end_date")
        let next = schedule?.list("phases").first { phase in
            guard let start = phase.seconds("start_date"), let phaseEnd else { return false }
            return start >= phaseEnd
        }
        let prices = waiting.isEmpty ? next?.list("items").compactMap { $0["price"] } ?? [] : waiting
        let products = prices.compactMap { StripePrice.product(of: $0, in: catalog) }
        if products.contains(current) { return nil }
        // The other items continue beside it.
        let others = further.compactMap(\.product)
        let changed = products.filter { !others.contains($0) }
        return changed.first { catalog[$0] != nil } ?? changed.min()
    }

    /// Plans come before usage and items in the catalog before others, then by id, because Stripe's order changes with
    /// every change of an item.
    private static func items(of object: StoreObject, in catalog: Catalog) -> [StoreObject] {
        object.list("items").sorted { left, right in
            for comesFirst in [isPlan, { isNamed($0, in: catalog) }] where comesFirst(left) != comesFirst(right) {
                return comesFirst(left)
            }
            return (left.text("id") ?? "").utf8.lexicographicallyPrecedes((right.text("id") ?? "").utf8)
        }
    }

    private static func isPlan(_ item: StoreObject) -> Bool {
        StripePrice.isPlan(StoreObject(item["price"] ?? item["plan"]))
    }

    private static func isNamed(_ item: StoreObject, in catalog: Catalog) -> Bool {
        StripePrice.product(of: item["price"], in: catalog).map { catalog[$0] != nil } ?? false
    }
}

/// The product that is sold, and its price.
enum StripePrice {
    /// A Stripe product may have a monthly and a yearly price, so a price is what we call a product. Returns the first
    /// of its id, its lookup key and its product's id that the catalog lists, or else its id.
    static func product(of price: JSONNode?, in catalog: Catalog) -> String? {
        guard let price = StoreObject(price) else { return price?.text.flatMap { isValidIdentifier($0) ? $0 : nil } }
        let names = [price.text("id"), price.text("lookup_key"), price.id("product")].compactMap { $0 }
        return names.first { catalog[$0] != nil } ?? names.first
    }

    /// False for what is charged once, such as a set-up fee, and for usage: neither is the plan. A price that is not
    /// expanded, or says neither, may be one.
    static func isPlan(_ price: StoreObject?) -> Bool {
        guard let price else { return true }
        let usage = price.object("recurring")?.text("usage_type") ?? price.text("usage_type")
        return price.text("type") != "one_time" && usage != "metered"
    }

    /// Converts a currency's smallest unit to thousandths. Returns nil on overflow.
    static func thousandths(_ amount: Int64?, in currency: String?) -> Int64? {
        guard let amount, let currency else { return nil }
        let factor: Int64 = withoutDecimals.contains(currency) ? 1000 : withThreeDecimals.contains(currency) ? 1 : 10
        let (product, overflow) = amount.multipliedReportingOverflow(by: factor)
        return overflow ? nil : product
    }

    // https://docs.stripe.com/currencies#zero-decimal. For historical reasons, ISK and UGX have two decimals there.
    private static let withoutDecimals: Set = [
        "bif", "clp", "djf", "gnf", "jpy", "kmf", "krw", "mga", "pyg", "rwf", "vnd", "vuv", "xaf", "xof", "xpf",
    ]
    private static let withThreeDecimals: Set = ["bhd", "jod", "kwd", "omr", "tnd"]
}

extension StripeSubscription {
    func event(in envelope: StripeEnvelope) -> Event {
        var event = envelope.event(kind(of: envelope))
        guard let id else { return event }
        let reason = object.object("cancellation_details")?.text("reason")
        event.subtype = isOver ? reason ?? status : status
        state(envelope.key(id), at: statedAt(envelope), in: &event)
        return event
    }

    /// The event that an answer of the API makes, like a webhook's; without a snapshot if the status is unknown. Returns
    /// nil unless `body` is the subscription of `contract`, whose `app` is the account that was asked.
    static func event(_ body: [UInt8], of contract: ContractKey, catalog: Catalog, now: Instant) -> Event? {
        guard let object = try? StoreObject(body), object.text("object") == "subscription",
            object.text("id") == contract.lineage,
            object.flag("livemode").map({ $0 == (contract.environment == .production) }) ?? true
        else { return nil }
        var event = Event(
            provider: .stripe,
            environment: contract.environment,
            app: contract.app,
            id: "read:\(contract.lineage):\(now.milliseconds)",
            type: "subscription.read",
            kind: .contractUpdated,
            signedAt: now,
            observation: nil,
            body: body
        )
        StripeSubscription(object, catalog: catalog).state(contract, at: now, in: &event)
        return event
    }

    /// All that it says about its contracts.
    private func state(_ key: ContractKey, at date: Instant, in event: inout Event) {
        event.observation = observation(key, snapshot: snapshot(statedAt: date))
        // As our own reading of the API shows it.
        let latest = object.object("latest_invoice").map { StripeInvoice(object: $0, catalog: catalog) }
        event.observation?.charges = latest?.charge(order: object.token).map { [$0] } ?? []
        event.further = further.compactMap { one in
            one.line.map { one.observation(key.line($0), snapshot: one.snapshot(statedAt: date)) }
        }
        event.isWhole = isWhole
    }

    /// Stripe dates events in whole seconds, and often makes several in one. The milliseconds express what is known of
    /// their order: a subscription is created first and ends last.
    private func statedAt(_ envelope: StripeEnvelope) -> Instant {
        if isOver { return envelope.created + .milliseconds(999) }
        return envelope.type == "customer.subscription.created" ? envelope.created : envelope.created + .milliseconds(1)
    }

    private func kind(of envelope: StripeEnvelope) -> EventKind {
        switch envelope.type {
        case "customer.subscription.created": status == "incomplete" ? .purchasePending : .subscriptionStarted
        case "customer.subscription.updated":
            change(from: envelope.previous ?? object)
        case "customer.subscription.deleted": .subscriptionExpired
        case "customer.subscription.paused": .paused
        case "customer.subscription.resumed": .resumed
        case "customer.subscription.pending_update_applied": .planChanged
        case "customer.subscription.pending_update_expired": .planChangeCancelled
        case "customer.subscription.trial_will_end": .contractUpdated
        default: .providerUnknown
        }
    }

    /// What `customer.subscription.updated` reports, judging by the subscription's previous values; by its present ones if
    /// the change is unknown.
    private func change(from before: StoreObject) -> EventKind {
        let now = object
        func isChanged(_ name: String) -> Bool { before.names(name) && before[name] != now[name] }
        if let kind = statusChange(from: before.text("status")) { return kind }
        if before.has("customer"), before.id("customer") != now.id("customer") { return .contractTransferred }
        let (old, new) = (StripeSubscription(before, catalog: Catalog()), StripeSubscription(now, catalog: Catalog()))
        if before.names("items") || before.names("plan"), let product = old.product, product != new.product {
            return .planChanged
        }
        for name in ["pending_update", "schedule"] where isChanged(name) {
            return now.has(name) ? .planChangeScheduled : .planChangeCancelled
        }
        if isChanged("cancel_at_period_end") || isChanged("cancel_at") { return renews ? .autoRenewOn : .autoRenewOff }
        if let end = old.periodEnd, end != new.periodEnd {
            let isMoved = isChanged("trial_end") || isChanged("billing_cycle_anchor")
            return isMoved ? .subscriptionExtended : .subscriptionRenewed
        }
        // Older versions of the API have one discount; newer ones have a list.
        let isDiscounted =
            before.names("discount")
            ? now.has("discount") && isChanged("discount") : isChanged("discounts") && !now.isEmpty("discounts")
        return isDiscounted ? .offerApplied : .contractUpdated
    }

    private func statusChange(from old: String?) -> EventKind? {
        guard let old, let status, old != status else { return nil }
        return switch (old, status) {
        case ("incomplete", "active"), ("incomplete", "trialing"): .subscriptionStarted
        case ("past_due", "active"), ("unpaid", "active"), ("past_due", "trialing"), ("unpaid", "trialing"):
            .subscriptionRecovered
        case ("paused", "active"), ("paused", "trialing"): .resumed
        case ("trialing", "active"): .subscriptionRenewed
        case (_, "past_due"): .graceStarted
        case (_, "unpaid"): .billingRetry
        case (_, "paused"): .paused
        case (_, "incomplete_expired"): .purchasePendingCancelled
        case (_, "canceled"): .subscriptionExpired
        default: .contractUpdated
        }
    }
}
