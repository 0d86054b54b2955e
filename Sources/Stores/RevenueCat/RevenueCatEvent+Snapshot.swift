internal import Domain

extension RevenueCatEvent {
    /// RevenueCat bridges a store's outage for a day at most
    /// (https://www.revenuecat.com/docs/integrations/webhooks/event-types-and-fields).
    private static let provisionalTerm = Duration.seconds(86_400)

    /// The state of the subscription after the event. Nil when the event does not change it, or does not state the end
    /// of a paid period.
    func snapshot(of product: String) -> Snapshot? {
        guard let (state, autoRenew) = state, let accessUntil = accessUntil(state), !isUnnamedChange else { return nil }
        return Snapshot(
            state: state,
            product: product,
            pendingProduct: type == "PRODUCT_CHANGE" && newProduct != product ? newProduct : nil,
            autoRenew: autoRenew && periodType != "PREPAID",
            accessUntil: accessUntil,
            signedAt: rank,
            isPausing: type == "SUBSCRIPTION_PAUSED"
        )
    }

    /// A change that names only one product: `new_product_id` is for changes at the end of a period. The purchase that
    /// makes the change states the rest, and may have come before it.
    private var isUnnamedChange: Bool {
        type == "PRODUCT_CHANGE" && (newProduct == nil || newProduct == product)
    }

    private var state: (ContractState, autoRenew: Bool)? {
        switch type {
        case "INITIAL_PURCHASE", "RENEWAL", "UNCANCELLATION", "PRODUCT_CHANGE", "SUBSCRIPTION_EXTENDED",
            "REFUND_REVERSED":
            (.active, true)
        case "SUBSCRIPTION_PAUSED": (.active, true)
        case "TEMPORARY_ENTITLEMENT_GRANT": (.active, false)
        case "CANCELLATION" where isRefund: (.revoked, false)
        case "CANCELLATION" where isUnpaid: hasJustEnded ? (.inBillingRetry, true) : nil
        case "CANCELLATION": (.cancelled, false)
        case "BILLING_ISSUE": (paidUntil == nil ? .inBillingRetry : .inGracePeriod, true)
        case "EXPIRATION": reason == "SUBSCRIPTION_PAUSED" ? (.paused, true) : (.expired, false)
        default: nil
        }
    }

    /// The charge failed.
    private var isUnpaid: Bool { type == "CANCELLATION" && reason == "BILLING_ERROR" }

    /// Some ends are only stated in this way, with the date of the event, and no EXPIRATION follows (RevenueCat's
    /// community, thread 6259).
    private var hasJustEnded: Bool { expiresAt.map { $0 <= happenedAt + .seconds(60) } ?? false }

    /// How long access lasts although a charge failed: time that was paid for is never taken away.
    private var paidUntil: Instant? {
        if let graceUntil { return graceUntil }
        return expiresAt.flatMap { $0 > happenedAt ? $0 : nil }
    }

    private func accessUntil(_ state: ContractState) -> Instant? {
        let isOver = min(expiresAt ?? happenedAt, happenedAt)
        switch state {
        case _ where type == "TEMPORARY_ENTITLEMENT_GRANT":
            let limit = happenedAt + RevenueCatEvent.provisionalTerm
            return min(expiresAt ?? limit, limit)
        case .inGracePeriod: return paidUntil
        case .revoked: return happenedAt
        case .expired, .paused, .inBillingRetry: return isOver
        case .active, .cancelled, .pending, .owned, .delivered: return expiresAt
        }
    }

    /// BILLING_ISSUE, which alone states the grace, comes together with this CANCELLATION and may give another end.
    private static let simultaneous = Duration.seconds(3600)

    /// The date that orders the statements of one subscription.
    ///
    /// An event is about one period, and may be sent after the next one began. So no event counts as newer than the end
    /// of its period, and a purchase counts from when it was charged. Among events of one instant (BILLING_ISSUE,
    /// CANCELLATION and EXPIRATION come in any order), and among those after the end, the most final one counts. A
    /// provisional grant yields to all others, and a CANCELLATION because of a failed charge to what is said in that hour.
    private var rank: Instant {
        switch type {
        case "TEMPORARY_ENTITLEMENT_GRANT": return Instant(milliseconds: 0)
        case "INITIAL_PURCHASE", "RENEWAL": return chargedAt
        case "CANCELLATION" where isUnpaid:
            return max(boughtAt, saidAt - RevenueCatEvent.simultaneous) + .milliseconds(finality)
        default: return saidAt + .milliseconds(finality)
        }
    }

    private var saidAt: Instant {
        let last = (expiresAt ?? happenedAt) - .milliseconds(10)
        return max(boughtAt, min(happenedAt, last))
    }

    /// A change of plan on the web is a RENEWAL that repeats the date of the subscription's first purchase
    /// (https://www.revenuecat.com/docs/integrations/webhooks/event-flows#immediate-product-change), so there the
    /// date comes from the event.
    var chargedAt: Instant {
        guard type == "RENEWAL", let store, ["STRIPE", "RC_BILLING", "PADDLE"].contains(store) else { return boughtAt }
        return saidAt
    }

    private var finality: Int64 {
        switch type {
        case "PRODUCT_CHANGE": 0
        case "SUBSCRIPTION_PAUSED": 3
        case "BILLING_ISSUE": 4
        case "EXPIRATION": 5
        case "CANCELLATION": isRefund ? 6 : 2
        case "REFUND_REVERSED": 7
        default: 1
        }
    }
}
