import Crypto
import Domain
import Encoding

/// A push of Pub/Sub: it says that something changed, but not what
/// (https://developer.android.com/google/play/billing/rtdn-reference). Google's API has the purchase itself.
struct GoogleNotification: Sendable {
    /// Google's numbers are an open set, so this leaves plenty of room for new ones.
    private static let numbers = Int64(0)...9999
    private static let dataLimit = 64 << 10

    /// Pub/Sub's message id, or without one a digest of the body: the same for every delivery.
    let id: String
    /// Nil when the message cannot be read, now or later.
    let package: String?
    /// Nil when there is nothing to read: a test, a chargeback under review, an unknown type, or an unreadable message.
    private(set) var subject: GoogleSubject?
    /// Google's name for the change, such as `SUBSCRIPTION_RENEWED`.
    let type: String
    let sentAt: Instant?
    private(set) var refund: Refund?

    /// The charge that was refunded, or may be.
    struct Refund: Sendable, Equatable {
        /// Google's number of the charge; a subscription's token is the same for all its charges.
        var order: String?
        /// False if it covers only part of the quantity.
        var isWhole = true
        /// The buyer, if the notification names no purchase.
        var account: String?
    }

    /// Whether it reports a purchase that has just been made: Google cannot have forgotten it, and will know it soon.
    func isNewPurchase(at now: Instant) -> Bool {
        guard type == "SUBSCRIPTION_PURCHASED" || type == "ONE_TIME_PRODUCT_PURCHASED", let sentAt else { return false }
        return now < sentAt + .seconds(3600)
    }

    /// Never fails: the sender is verified already, and would repeat the same message for seven days.
    init(_ body: [UInt8]) {
        let envelope = try? StoreObject(body)
        let message = envelope?.object("message")
        let data = message?.text("data", limit: GoogleNotification.dataLimit).flatMap { Base64.decode($0) }
        // With payload unwrapping, Pub/Sub sends the notification itself (https://cloud.google.com/pubsub/docs/payload-unwrapping).
        let notice = envelope?.has("packageName") == true ? envelope : data.flatMap { try? StoreObject($0) }
        id = message?.text("messageId") ?? "body:" + Hex.encode(SHA256.hash(body))
        package = notice?.text("packageName")
        sentAt = notice?.milliseconds("eventTimeMillis")
        guard let notice, package != nil else {
            type = "UNREADABLE"
            return
        }
        if let change = notice.object("subscriptionNotification") {
            type = GoogleNotification.name(change, "SUBSCRIPTION", in: GoogleNotification.subscriptionNames)
            subject = GoogleSubject(change, isSubscription: true)
        } else if let change = notice.object("oneTimeProductNotification") {
            type = GoogleNotification.name(change, "ONE_TIME_PRODUCT", in: GoogleNotification.productNames)
            subject = GoogleSubject(change, isSubscription: false)
        } else if let void = notice.object("voidedPurchaseNotification") {
            type = "VOIDED_PURCHASE"
            refund = Refund(order: void.text("orderId"), isWhole: void.integer("refundType") != 2)
            subject = GoogleSubject(void, isSubscription: void.integer("productType") == 1)
        } else if let review = notice.object("pendingRefundReviewNotification") {
            type = "PENDING_REFUND_REVIEW"
            refund = Refund(order: review.text("orderId"), account: review.text("obfuscatedAccountId"))
        } else {
            type = notice.has("testNotification") ? "TEST" : "UNKNOWN"
        }
    }

    private static func name(_ change: StoreObject, _ family: String, in names: [Int64: String]) -> String {
        let number = change.integer("notificationType").flatMap { numbers.contains($0) ? $0 : nil } ?? 0
        return names[number] ?? "\(family)_\(number)"
    }

    private static let productNames: [Int64: String] = [
        1: "ONE_TIME_PRODUCT_PURCHASED", 2: "ONE_TIME_PRODUCT_CANCELED",
    ]

    private static let subscriptionNames: [Int64: String] = [
        1: "SUBSCRIPTION_RECOVERED", 2: "SUBSCRIPTION_RENEWED", 3: "SUBSCRIPTION_CANCELED",
        4: "SUBSCRIPTION_PURCHASED", 5: "SUBSCRIPTION_ON_HOLD", 6: "SUBSCRIPTION_IN_GRACE_PERIOD",
        7: "SUBSCRIPTION_RESTARTED", 8: "SUBSCRIPTION_PRICE_CHANGE_CONFIRMED", 9: "SUBSCRIPTION_DEFERRED",
        10: "SUBSCRIPTION_PAUSED", 11: "SUBSCRIPTION_PAUSE_SCHEDULE_CHANGED", 12: "SUBSCRIPTION_REVOKED",
        13: "SUBSCRIPTION_EXPIRED", 17: "SUBSCRIPTION_ITEMS_CHANGED", 18: "SUBSCRIPTION_CANCELLATION_SCHEDULED",
        19: "SUBSCRIPTION_PRICE_CHANGE_UPDATED", 20: "SUBSCRIPTION_PENDING_PURCHASE_CANCELED",
        22: "SUBSCRIPTION_PRICE_STEP_UP_CONSENT_UPDATED",
    ]
}

extension GoogleSubject {
    fileprivate init?(_ change: StoreObject, isSubscription: Bool) {
        guard let token = change.text("purchaseToken", limit: GooglePurchase.tokenLimit) else { return nil }
        self.init(token: token, isSubscription: isSubscription)
    }
}

extension GoogleNotification {
    /// The event to commit: the notification, and what the API said about its purchase at that time.
    ///
    /// A chargeback under review (`PENDING_REFUND_REVIEW`) concerns a buyer, not a contract. It must be answered in
    /// Google's console, or through `orders.reviewrefund`, within 24 hours; only the first answer counts.
    func event(_ reading: GoogleReading, body: [UInt8], now: Instant) -> Event {
        let purchase = reading.purchase
        let record = reading.answer.flatMap { StoredReading(.notification(body), answer: $0) }
        return Event(
            provider: .google,
            environment: purchase?.environment ?? .production,
            app: package ?? "google",
            id: purchase.flatMap(void) ?? id,
            type: type,
            subtype: purchase.map(detail) ?? reading.gap?.rawValue,
            kind: purchase.map(kind) ?? GoogleNotification.kinds[type] ?? .providerUnknown,
            signedAt: purchase?.readAt ?? sentAt.map { min($0, now) } ?? now,
            observation: purchase?.observation(after: self),
            further: purchase?.further.map { $0.observation(after: self) } ?? [],
            isWhole: purchase != nil,
            account: purchase == nil ? refund?.account : nil,
            jobs: purchase?.jobs ?? [],
            body: record?.bytes ?? body
        )
    }

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
extension GoogleNotification {
    /// A detail of the kind. It shows an unknown state as Google wrote it.
    private func detail(_ purchase: GooglePurchase) -> String? {
        purchase.strangeState ?? refund.map { word($0, of: purchase) }
            ?? (type == "SUBSCRIPTION_EXPIRED" ? purchase.endReason : nil)
            ?? (type == "SUBSCRIPTION_PURCHASED" ? purchase.offer : nil)
    }

    private func kind(_ purchase: GooglePurchase) -> EventKind {
        switch (type, purchase.state) {
        case ("SUBSCRIPTION_PURCHASED", .pending), ("ONE_TIME_PRODUCT_PURCHASED", .pending): .purchasePending
        case ("SUBSCRIPTION_PURCHASED", _): purchase.startKind
        // The purchase that continues it says how.
        case ("SUBSCRIPTION_EXPIRED", _) where purchase.endReason == "replaced": .contractUpdated
        // A purchase begins with its offer; a later offer changes what the item costs.
        case ("SUBSCRIPTION_ITEMS_CHANGED", _) where purchase.offer != nil: .offerApplied
        case ("SUBSCRIPTION_PRICE_CHANGE_UPDATED", _), ("SUBSCRIPTION_PRICE_STEP_UP_CONSENT_UPDATED", _):
            purchase.isPriceAccepted ? .priceChangeAccepted : .priceChangePending
        default: GoogleNotification.kinds[type] ?? .providerUnknown
        }
    }

    private func word(_ refund: Refund, of purchase: GooglePurchase) -> String {
        if !refund.isWhole { return "partial" }
        return purchase.isTakenBack(by: refund) ? "current" : "past"
    }

    private static let kinds: [String: EventKind] = [
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
