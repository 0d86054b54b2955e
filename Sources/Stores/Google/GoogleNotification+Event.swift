public import Domain

/// The API's answer about a notification's purchase.
public enum GoogleReading: Sendable {
    case purchase(GooglePurchase)
    /// There was nothing to read.
    case nothing
    /// Google does not know the purchase, or no longer does, and will keep saying so.
    case unknown
    /// An answer that says nothing about a purchase.
    case unreadable
}

extension GoogleNotification {
    /// The event to commit: the notification, and what the API said about its purchase at that time.
    ///
    /// A chargeback under review (`PENDING_REFUND_REVIEW`) concerns a buyer, not a contract. It must be answered in
    /// Google's console, or through `orders.reviewrefund`, within 24 hours; only the first answer counts.
    public func event(_ reading: GoogleReading, body: [UInt8], now: Instant) -> Event {
        let purchase: GooglePurchase? = if case .purchase(let purchase) = reading { purchase } else { nil }
        let label = purchase.map { GoogleLabel(self, purchase: $0) }
        let word: String? =
            switch reading {
            case .purchase: label?.subtype
            case .nothing: nil
            case .unknown: "unknown_purchase"
            case .unreadable: "unreadable_purchase"
            }
        return Event(
            provider: .google,
            environment: purchase?.environment ?? .production,
            app: package ?? "google",
            id: purchase.flatMap(void) ?? id,
            type: type,
            subtype: word,
            kind: label?.kind ?? GoogleLabel.kinds[type] ?? .providerUnknown,
            signedAt: purchase?.readAt ?? sentAt.map { min($0, now) } ?? now,
            observation: purchase?.observation(after: self),
            further: purchase?.further.map { $0.observation(after: self) } ?? [],
            isWhole: purchase != nil,
            account: purchase == nil ? refund?.account : nil,
            jobs: purchase?.jobs ?? [],
            body: body
        )
    }
}

extension GoogleNotification {
    /// The event id of a void that takes effect, so that a push and Google's list make one event. A void that leaves
    /// the purchase as it is gets no such id: it may have come too early, and must be read again when it comes again.
    private func void(of purchase: GooglePurchase) -> String? {
        guard type == "VOIDED_PURCHASE", let refund, let order = refund.order,
            ([purchase] + purchase.further).contains(where: { $0.isTakenBack(by: refund) })
        else { return nil }
        return GoogleVoidedPurchase.event(of: order)
    }
}

/// The name of a change: from Google's name, and where that is ambiguous, from the purchase.
struct GoogleLabel {
    let kind: EventKind
    /// A detail of the kind. It shows an unknown state as Google wrote it.
    let subtype: String?

    init(_ notification: GoogleNotification, purchase: GooglePurchase) {
        let type = notification.type
        kind = GoogleLabel.kind(type, of: purchase)
        subtype =
            purchase.strangeState ?? notification.refund.map { GoogleLabel.word($0, of: purchase) }
            ?? (type == "SUBSCRIPTION_EXPIRED" ? purchase.endReason : nil)
            ?? (type == "SUBSCRIPTION_PURCHASED" ? purchase.offer : nil)
    }

    private static func kind(_ type: String, of purchase: GooglePurchase) -> EventKind {
        switch (type, purchase.state) {
        case ("SUBSCRIPTION_PURCHASED", .pending), ("ONE_TIME_PRODUCT_PURCHASED", .pending): .purchasePending
        case ("SUBSCRIPTION_PURCHASED", _): purchase.startKind
        // A purchase begins with its offer; a later offer changes what the item costs.
        case ("SUBSCRIPTION_ITEMS_CHANGED", _) where purchase.offer != nil: .offerApplied
        case ("SUBSCRIPTION_PRICE_CHANGE_UPDATED", _), ("SUBSCRIPTION_PRICE_STEP_UP_CONSENT_UPDATED", _):
            purchase.isPriceAccepted ? .priceChangeAccepted : .priceChangePending
        default: kinds[type] ?? .providerUnknown
        }
    }

    private static func word(_ refund: GoogleNotification.Refund, of purchase: GooglePurchase) -> String {
        if !refund.isWhole { return "partial" }
        return purchase.isTakenBack(by: refund) ? "current" : "past"
    }

    static let kinds: [String: EventKind] = [
        "SUBSCRIPTION_RECOVERED": .subscriptionRecovered, "SUBSCRIPTION_RENEWED": .subscriptionRenewed,
        "SUBSCRIPTION_CANCELED": .autoRenewOff, "SUBSCRIPTION_PURCHASED": .subscriptionStarted,
        "SUBSCRIPTION_ON_HOLD": .billingRetry, "SUBSCRIPTION_IN_GRACE_PERIOD": .graceStarted,
        "SUBSCRIPTION_RESTARTED": .autoRenewOn, "SUBSCRIPTION_PRICE_CHANGE_CONFIRMED": .priceChangeAccepted,
        "SUBSCRIPTION_DEFERRED": .subscriptionExtended, "SUBSCRIPTION_PAUSED": .paused,
        "SUBSCRIPTION_PAUSE_SCHEDULE_CHANGED": .pauseScheduled, "SUBSCRIPTION_REVOKED": .refundCompleted,
        "SUBSCRIPTION_EXPIRED": .subscriptionExpired, "SUBSCRIPTION_ITEMS_CHANGED": .contractUpdated,
        "SUBSCRIPTION_CANCELLATION_SCHEDULED": .autoRenewOff,
        "SUBSCRIPTION_PRICE_CHANGE_UPDATED": .priceChangePending,
        "SUBSCRIPTION_PENDING_PURCHASE_CANCELED": .purchasePendingCancelled,
        "SUBSCRIPTION_PRICE_STEP_UP_CONSENT_UPDATED": .priceChangePending,
        "ONE_TIME_PRODUCT_PURCHASED": .purchaseCompleted, "ONE_TIME_PRODUCT_CANCELED": .purchasePendingCancelled,
        "VOIDED_PURCHASE": .refundCompleted, "PENDING_REFUND_REVIEW": .refundRequested, "TEST": .providerTest,
    ]
}
