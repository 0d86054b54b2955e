import Domain

/// A subscription at Stripe after an event. Pure: it applies the name of an event to the facts. A name that Stripe
/// does not list leaves the facts unchanged.
struct StripeSubscriptionModel {
    /// How long a development server still grants access in a period that is not paid.
    static let grace = Duration.days(30)

    let id: String
    var status: String
    var price: SimulatedProduct
    /// The price that a pending update, or the next phase of a schedule, changes to.
    var nextPrice: String?
    var hasSchedule = false
    var periodStart: Instant
    var periodEnd: Instant
    var trialEnd: Instant?
    var isEnding: Bool
    var endedAt: Instant?
    /// `cancellation_details.reason`.
    var reason: String?
    var isDiscounted = false
    var isRefunded = false
    /// The previous values of what changed.
    private(set) var before: StripeChange = .init()

    private let now: Instant

    init(_ facts: SimulatedSubscription, now: Instant) {
        self.now = now
        id = stripeID("sub", lineage: facts.lineage)
        let product = SimulatedProduct(id: facts.product, kind: .subscription)
        price = product
        nextPrice = facts.pendingProduct
        isEnding = facts.state == .cancelled || !facts.autoRenew
        isRefunded = facts.state == .revoked
        let known = facts.accessUntil
        let length = facts.isTrial ? SimulatedProduct.trial : product.period
        switch facts.state {
        case .inGracePeriod:
            periodStart =
                (known ?? now + StripeSubscriptionModel.grace) - min(StripeSubscriptionModel.grace, product.period)
        case .inBillingRetry: periodStart = known ?? now
        default: periodStart = min(known.map { $0 - length } ?? now, now)
        }
        periodEnd = periodStart + length
        status = StripeSubscriptionModel.status(of: facts.state)
        if facts.isTrial, status == "active" || status == "incomplete" { (status, trialEnd) = ("trialing", periodEnd) }
        if status == "canceled" {
            endedAt = known ?? now
            reason = "cancellation_requested"
        }
    }

    private static func status(of state: ContractState) -> String {
        switch state {
        case .pending: "incomplete"
        case .active, .cancelled, .owned, .delivered: "active"
        case .inGracePeriod: "past_due"
        case .inBillingRetry: "unpaid"
        case .paused: "paused"
        case .expired, .revoked: "canceled"
        }
    }

    mutating func apply(_ type: String, subtype: String?) {
        switch (type, subtype) {
        case ("checkout.session.completed", "unpaid"), ("checkout.session.async_payment_failed", _):
            status = "incomplete"
        case ("checkout.session.completed", _), ("checkout.session.async_payment_succeeded", _):
            start(trialEnd == nil ? "active" : "trialing")
        case ("customer.subscription.created", _): start(subtype ?? (trialEnd == nil ? "active" : "trialing"))
        case ("customer.subscription.updated", _): update(subtype ?? "renewed")
        case ("customer.subscription.deleted", _): end(subtype ?? "cancellation_requested")
        case ("customer.subscription.paused", _): change(to: "paused")
        case ("customer.subscription.resumed", _): change(to: "active")
        case ("customer.subscription.pending_update_applied", _): changePrice()
        case ("customer.subscription.pending_update_expired", _): nextPrice = nil
        case ("invoice.payment_failed", _): if status == "active" { fail("past_due") }
        case ("invoice.paid", "subscription_cycle"), ("invoice.payment_succeeded", "subscription_cycle"): renew()
        case ("invoice.paid", _), ("invoice.payment_succeeded", _): if status != "canceled" { status = "active" }
        case ("subscription_schedule.created", _), ("subscription_schedule.updated", _): plan(scheduled: true)
        case ("charge.refunded", let part) where part != "partial": isRefunded = true
        default: break
        }
    }

    private mutating func update(_ what: String) {
        switch what {
        case "renewed": renew()
        case "recovered", "active": change(to: "active")
        case "trialing": start("trialing")
        case "past_due": fail("past_due")
        case "unpaid": fail("unpaid")
        case "paused": change(to: "paused")
        case "incomplete": status = "incomplete"
        case "incomplete_expired": change(to: "incomplete_expired")
        case "canceled": end("payment_failed")
        case "cancel": setEnding(true)
        case "keep": setEnding(false)
        case "price": changePrice()
        case "pending_update": plan(scheduled: false)
        case "schedule": plan(scheduled: true)
        case "discount":
            before.isDiscounted = isDiscounted
            isDiscounted = true
        case "trial_end":
            before.periodEnd = periodEnd
            before.trialEnd = .some(trialEnd)
            periodEnd = periodEnd + .days(7)
            trialEnd = periodEnd
        default: break
        }
    }

    private mutating func start(_ status: String) {
        self.status = status
        periodStart = now
        periodEnd = now + (status == "trialing" ? SimulatedProduct.trial : price.period)
        trialEnd = status == "trialing" ? periodEnd : nil
        isEnding = false
    }

    /// A scheduled change of plan takes effect at the renewal.
    private mutating func renew() {
        before.periodEnd = periodEnd
        if let nextPrice { price = SimulatedProduct(id: nextPrice, kind: .subscription) }
        nextPrice = nil
        if status != "active" { change(to: "active") }
        periodStart = max(periodEnd, now)
        periodEnd = periodStart + price.period
    }

    /// Stripe begins the next period whether or not it is paid.
    private mutating func fail(_ status: String) {
        if self.status == "active" {
            before.periodEnd = periodEnd
            periodStart = min(periodEnd, now)
            periodEnd = periodStart + price.period
        }
        change(to: status)
    }

    private mutating func change(to status: String) {
        before.status = self.status
        self.status = status
    }

    private mutating func setEnding(_ isEnding: Bool) {
        before.isEnding = self.isEnding
        self.isEnding = isEnding
    }

    private mutating func plan(scheduled: Bool) {
        before.nextPrice = .some(nil)
        nextPrice = nextPrice ?? price.other
        hasSchedule = scheduled
    }

    private mutating func changePrice() {
        before.price = price.id
        price = SimulatedProduct(id: nextPrice ?? price.other, kind: .subscription)
        nextPrice = nil
        periodStart = now
        periodEnd = now + price.period
    }

    private mutating func end(_ reason: String) {
        change(to: "canceled")
        endedAt = min(now, periodEnd)
        self.reason = reason
    }
}

/// `previous_attributes`: the previous values of what an update changed.
struct StripeChange {
    var status: String?
    var price: String?
    var periodEnd: Instant?
    var trialEnd: Instant??
    var isEnding: Bool?
    var isDiscounted: Bool?
    var nextPrice: String??
}

/// Ids that look like Stripe's. The same lineage gives the same id.
func stripeID(_ prefix: String, lineage: String) -> String {
    let bare = lineage.split(separator: "_").last.map(String.init) ?? lineage
    return lineage.hasPrefix(prefix + "_") ? lineage : "\(prefix)_\(bare)"
}
