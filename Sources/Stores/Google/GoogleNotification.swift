import Crypto
public import Domain
import Encoding

/// A push of Pub/Sub: it says that something changed, but not what
/// (https://developer.android.com/google/play/billing/rtdn-reference). Google's API has the purchase itself.
public struct GoogleNotification: Sendable {
    public enum Subject: Sendable, Equatable {
        case subscription(token: String)
        case product(token: String)
        /// There is nothing to read: a test, a chargeback under review, an unknown type, or an unreadable message.
        case none

        init(token: String, isSubscription: Bool) {
            self = isSubscription ? .subscription(token: token) : .product(token: token)
        }
    }

    /// Google's numbers are an open set, so this leaves plenty of room for new ones.
    private static let numbers = Int64(0)...9999
    private static let dataLimit = 64 << 10

    /// Pub/Sub's message id, or without one a digest of the body: the same for every delivery.
    public let id: String
    /// Nil when the message cannot be read, now or later.
    public let package: String?
    public let subject: Subject
    /// Google's name for the change, such as `SUBSCRIPTION_RENEWED`.
    let type: String
    let sentAt: Instant?
    let refund: Refund?

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
    public func isNewPurchase(at now: Instant) -> Bool {
        guard type == "SUBSCRIPTION_PURCHASED" || type == "ONE_TIME_PRODUCT_PURCHASED", let sentAt else { return false }
        return now < sentAt + .seconds(3600)
    }

    /// Never fails: the sender is verified already, and would repeat the same message for seven days.
    public init(_ body: [UInt8]) {
        let envelope = try? StoreObject(body)
        let message = envelope?.object("message")
        let data = message?.text("data", limit: GoogleNotification.dataLimit).flatMap { Base64.decode($0) }
        // With payload unwrapping, Pub/Sub sends the notification itself (https://cloud.google.com/pubsub/docs/payload-unwrapping).
        let notice = envelope?.has("packageName") == true ? envelope : data.flatMap { try? StoreObject($0) }
        id = message?.text("messageId") ?? "body:" + Hex.encode(SHA256.hash(body))
        package = notice?.text("packageName")
        sentAt = notice?.milliseconds("eventTimeMillis")
        let content = GoogleNotification.content(of: notice)
        type = content.type
        subject = content.subject
        refund = content.refund
    }

    private struct Content {
        var type: String
        var subject = Subject.none
        var refund: Refund?
    }

    private static func content(of notice: StoreObject?) -> Content {
        guard let notice, notice.text("packageName") != nil else { return Content(type: "UNREADABLE") }
        if let change = notice.object("subscriptionNotification") {
            let number = number(change)
            let name = number.flatMap { subscriptionNames[$0] } ?? "SUBSCRIPTION_\(number ?? 0)"
            return Content(type: name, subject: purchase(change, isSubscription: true))
        }
        if let change = notice.object("oneTimeProductNotification") {
            let number = number(change)
            let name = number.flatMap { productNames[$0] } ?? "ONE_TIME_PRODUCT_\(number ?? 0)"
            return Content(type: name, subject: purchase(change, isSubscription: false))
        }
        if let void = notice.object("voidedPurchaseNotification") {
            let refund = Refund(order: void.text("orderId"), isWhole: void.integer("refundType") != 2)
            let subject = purchase(void, isSubscription: void.integer("productType") == 1)
            return Content(type: "VOIDED_PURCHASE", subject: subject, refund: refund)
        }
        if let review = notice.object("pendingRefundReviewNotification") {
            let refund = Refund(order: review.text("orderId"), account: review.text("obfuscatedAccountId"))
            return Content(type: "PENDING_REFUND_REVIEW", refund: refund)
        }
        return Content(type: notice.has("testNotification") ? "TEST" : "UNKNOWN")
    }

    private static func number(_ change: StoreObject) -> Int64? {
        change.integer("notificationType").flatMap { numbers.contains($0) ? $0 : nil }
    }

    private static func purchase(_ change: StoreObject, isSubscription: Bool) -> Subject {
        guard let token = change.text("purchaseToken", limit: GooglePurchase.tokenLimit) else { return .none }
        return Subject(token: token, isSubscription: isSubscription)
    }

    static let productNames: [Int64: String] = [1: "ONE_TIME_PRODUCT_PURCHASED", 2: "ONE_TIME_PRODUCT_CANCELED"]

    static let subscriptionNames: [Int64: String] = [
        1: "SUBSCRIPTION_RECOVERED", 2: "SUBSCRIPTION_RENEWED", 3: "SUBSCRIPTION_CANCELED",
        4: "SUBSCRIPTION_PURCHASED", 5: "SUBSCRIPTION_ON_HOLD", 6: "SUBSCRIPTION_IN_GRACE_PERIOD",
        7: "SUBSCRIPTION_RESTARTED", 8: "SUBSCRIPTION_PRICE_CHANGE_CONFIRMED", 9: "SUBSCRIPTION_DEFERRED",
        10: "SUBSCRIPTION_PAUSED", 11: "SUBSCRIPTION_PAUSE_SCHEDULE_CHANGED", 12: "SUBSCRIPTION_REVOKED",
        13: "SUBSCRIPTION_EXPIRED", 17: "SUBSCRIPTION_ITEMS_CHANGED", 18: "SUBSCRIPTION_CANCELLATION_SCHEDULED",
        19: "SUBSCRIPTION_PRICE_CHANGE_UPDATED", 20: "SUBSCRIPTION_PENDING_PURCHASE_CANCELED",
        22: "SUBSCRIPTION_PRICE_STEP_UP_CONSENT_UPDATED",
    ]
}

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
