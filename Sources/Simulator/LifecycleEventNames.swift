public import Domain

/// A store's events for the steps of a purchase's life: their names, with the subtype after a slash if the store has
/// one.
public struct LifecycleEventNames: Sendable {
    public let provider: Provider
    private let names: KeyValuePairs<LifecycleStep, String>

    /// A one-time purchase has fewer steps, with other event names.
    public init(_ provider: Provider, kind: ProductKind = .subscription) {
        self.provider = provider
        let isSubscription = kind == .subscription
        names =
            switch provider {
            case .apple: isSubscription ? apple : appleOnce
            case .stripe: isSubscription ? stripe : stripeOnce
            case .revenuecat: isSubscription ? revenueCat : revenueCatOnce
            case .purchasekit: isSubscription ? purchaseKit : [:]
            case .google: isSubscription ? google : googleOnce
            default: [:]
            }
    }

    /// The steps that this store knows.
    public var steps: [LifecycleStep] { names.map(\.key) }

    /// Returns nil if this store has no such event.
    public func event(for step: LifecycleStep) -> (type: String, subtype: String?)? {
        names.first { $0.key == step }.map { LifecycleEventNames.split($0.value) }
    }

    /// The step that a store announces first if it sends two events: RevenueCat announces a new plan, then reports the
    /// payment.
    public func prelude(to step: LifecycleStep) -> LifecycleStep? {
        provider == .revenuecat && step == .upgrade && event(for: step) != nil ? .downgrade : nil
    }

    /// The first step that the event stands for. Returns nil for an event that stands for no step.
    public func step(of type: String, subtype: String?) -> LifecycleStep? {
        let event = subtype.map { "\(type)/\($0)" } ?? type
        return names.first { $0.value == event }?.key
    }

    /// Splits `TYPE/SUBTYPE` into its two parts.
    public static func split(_ event: String) -> (type: String, subtype: String?) {
        let slash = event.firstIndex(of: "/") ?? event.endIndex
        return (String(event[..<slash]), slash == event.endIndex ? nil : String(event[event.index(after: slash)...]))
    }
}

private let apple: KeyValuePairs<LifecycleStep, String> = [
    .initial: "SUBSCRIBED/INITIAL_BUY",
    .renew: "DID_RENEW",
    .grace: "DID_FAIL_TO_RENEW/GRACE_PERIOD",
    .retry: "DID_FAIL_TO_RENEW",
    .recover: "DID_RENEW/BILLING_RECOVERY",
    .cancel: "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED",
    .resume: "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED",
    .expire: "EXPIRED/VOLUNTARY",
    .refund: "REFUND",
    .reversed: "REFUND_REVERSED",
    .upgrade: "DID_CHANGE_RENEWAL_PREF/UPGRADE",
    .downgrade: "DID_CHANGE_RENEWAL_PREF/DOWNGRADE",
]

private let google: KeyValuePairs<LifecycleStep, String> = [
    .initial: "SUBSCRIPTION_PURCHASED",
    .renew: "SUBSCRIPTION_RENEWED",
    .grace: "SUBSCRIPTION_IN_GRACE_PERIOD",
    .retry: "SUBSCRIPTION_ON_HOLD",
    .recover: "SUBSCRIPTION_RECOVERED",
    .cancel: "SUBSCRIPTION_CANCELED",
    .resume: "SUBSCRIPTION_RESTARTED",
    .expire: "SUBSCRIPTION_EXPIRED",
    .refund: "SUBSCRIPTION_REVOKED",
    .pause: "SUBSCRIPTION_PAUSED",
    .upgrade: "SUBSCRIPTION_PURCHASED/upgrade",
    .downgrade: "SUBSCRIPTION_PURCHASED/downgrade",
]

/// The part after the slash says what an update changed; Stripe's own name ends before it.
private let stripe: KeyValuePairs<LifecycleStep, String> = [
    .initial: "customer.subscription.created",
    .renew: "customer.subscription.updated/renewed",
    .grace: "customer.subscription.updated/past_due",
    .retry: "customer.subscription.updated/unpaid",
    .recover: "customer.subscription.updated/recovered",
    .cancel: "customer.subscription.updated/cancel",
    .resume: "customer.subscription.updated/keep",
    .expire: "customer.subscription.deleted",
    // A charge does not name its subscription. A deletion after a dispute does, and returns the money.
    .refund: "customer.subscription.deleted/payment_disputed",
    .pause: "customer.subscription.paused",
    .upgrade: "customer.subscription.updated/price",
    .downgrade: "customer.subscription.updated/pending_update",
]

private let revenueCat: KeyValuePairs<LifecycleStep, String> = [
    .initial: "INITIAL_PURCHASE",
    .renew: "RENEWAL",
    .grace: "BILLING_ISSUE/GRACE",
    .retry: "BILLING_ISSUE",
    .recover: "RENEWAL",
    .cancel: "CANCELLATION",
    .resume: "UNCANCELLATION",
    .expire: "EXPIRATION",
    .refund: "CANCELLATION/CUSTOMER_SUPPORT",
    .reversed: "REFUND_REVERSED",
    .pause: "EXPIRATION/SUBSCRIPTION_PAUSED",
    // A PRODUCT_CHANGE announces it.
    .upgrade: "RENEWAL/UPGRADE",
    .downgrade: "PRODUCT_CHANGE",
]

private let purchaseKit: KeyValuePairs<LifecycleStep, String> = [
    .initial: "subscription.created",
    .renew: "subscription.updated",
    .recover: "subscription.updated",
    .cancel: "subscription.canceled",
    .expire: "subscription.expired",
]

private let appleOnce: KeyValuePairs<LifecycleStep, String> = [
    .initial: "ONE_TIME_CHARGE", .refund: "REFUND", .reversed: "REFUND_REVERSED",
]

private let googleOnce: KeyValuePairs<LifecycleStep, String> = [
    .initial: "ONE_TIME_PRODUCT_PURCHASED", .refund: "VOIDED_PURCHASE",
]

/// At Stripe, a subscription that ended never comes back; a one-time purchase comes back when a dispute is won.
private let stripeOnce: KeyValuePairs<LifecycleStep, String> = [
    .initial: "checkout.session.completed", .refund: "charge.refunded",
    .reversed: "charge.dispute.funds_reinstated",
]

private let revenueCatOnce: KeyValuePairs<LifecycleStep, String> = [
    .initial: "NON_RENEWING_PURCHASE", .refund: "CANCELLATION/CUSTOMER_SUPPORT", .reversed: "REFUND_REVERSED",
]
