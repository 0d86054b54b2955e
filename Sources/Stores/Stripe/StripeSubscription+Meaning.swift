internal import Domain

extension StripeSubscription {
    func meaning(of envelope: StripeEnvelope) -> StripeMeaning {
        let kind = kind(of: envelope)
        guard let id else { return StripeMeaning(kind: kind) }
        let reason = envelope.object.object("cancellation_details")?.text("reason")
        let key = envelope.key(id)
        let statedAt = statedAt(envelope)
        var meaning = StripeMeaning(
            kind: kind,
            subtype: isOver ? reason ?? status : status,
            observation: observation(key, snapshot: snapshot(statedAt: statedAt))
        )
        meaning.further = further(key, statedAt: statedAt)
        meaning.isWhole = isWhole
        return meaning
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
            StripeSubscriptionChange(envelope.object, since: envelope.previous, renews: renews).kind
        case "customer.subscription.deleted": .subscriptionExpired
        case "customer.subscription.paused": .paused
        case "customer.subscription.resumed": .resumed
        case "customer.subscription.pending_update_applied": .planChanged
        case "customer.subscription.pending_update_expired": .planChangeCancelled
        case "customer.subscription.trial_will_end": .contractUpdated
        default: .providerUnknown
        }
    }
}

/// The change that `customer.subscription.updated` reports, judging by the subscription's previous values.
struct StripeSubscriptionChange {
    private let now: StoreObject
    private let before: StoreObject
    private let renews: Bool

    /// Without `before`, the change is unknown.
    init(_ now: StoreObject, since before: StoreObject?, renews: Bool) {
        self.now = now
        self.before = before ?? now
        self.renews = renews
    }

    var kind: EventKind {
        if let kind = statusKind { return kind }
        if before.has("customer"), before.id("customer") != now.id("customer") { return .contractTransferred }
        if before.names("items") || before.names("plan"), let old = price(of: before), old != price(of: now) {
            return .planChanged
        }
        if before.names("pending_update"), before["pending_update"] != now["pending_update"] {
            return now.has("pending_update") ? .planChangeScheduled : .planChangeCancelled
        }
        if before.names("schedule"), before["schedule"] != now["schedule"] {
            return now.has("schedule") ? .planChangeScheduled : .planChangeCancelled
        }
        if ["cancel_at_period_end", "cancel_at"].contains(where: { before.names($0) && before[$0] != now[$0] }) {
            return renews ? .autoRenewOn : .autoRenewOff
        }
        if let old = periodEnd(of: before), old != periodEnd(of: now) {
            let isMoved = ["trial_end", "billing_cycle_anchor"].contains { before.names($0) && before[$0] != now[$0] }
            return isMoved ? .subscriptionExtended : .subscriptionRenewed
        }
        return isDiscounted ? .offerApplied : .contractUpdated
    }

    private var statusKind: EventKind? {
        guard let old = before.text("status"), let new = now.text("status"), old != new else { return nil }
        return switch (old, new) {
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

    /// Older versions of the API have one discount; newer ones have a list.
    private var isDiscounted: Bool {
        if before.names("discount") { return now.has("discount") && before["discount"] != now["discount"] }
        return before.names("discounts") && before["discounts"] != now["discounts"] && !now.isEmpty("discounts")
    }

    private func price(of object: StoreObject) -> String? {
        let item = StripeSubscription.item(of: object, in: Catalog())
        return StripeSubscription.product(of: object, item: item, in: Catalog())
    }

    private func periodEnd(of object: StoreObject) -> Instant? {
        object.seconds("current_period_end")
            ?? StripeSubscription.item(of: object, in: Catalog())?.seconds("current_period_end")
    }
}
