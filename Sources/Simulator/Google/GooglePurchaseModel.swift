import Domain

/// A purchase at Google Play after an event. Pure: it applies the name of a notification to the facts. A name that
/// Google does not list leaves the facts unchanged.
struct GooglePurchaseModel {
    static let grace = Duration.days(7)

    enum Cancellation: String {
        case user = "userInitiatedCancellation"
        case system = "systemInitiatedCancellation"
        case developer = "developerInitiatedCancellation"
        case replacement = "replacementCancellation"
    }

    /// The purchase token.
    var token: String
    /// The purchase that this one replaces.
    var replaced: String?
    var isOutsideApp = false
    var product: SimulatedProduct
    var nextProduct: String?
    /// `SUBSCRIPTION_STATE_…` without the prefix.
    var state: String
    var startedAt: Instant
    var expiresAt: Instant
    var resumesAt: Instant?
    var autoRenews: Bool
    var cancellation: Cancellation?
    /// `freeTrial` or `introductoryPrice`.
    var phase: String?
    var offer: String?
    /// `OUTSTANDING` or `CONFIRMED`.
    var priceChange: String?
    /// How many renewals there were; the number of the charge is derived from it.
    var renewals: Int64
    /// For a one-time purchase: `PURCHASED`, `PENDING` or `CANCELLED`.
    var purchaseState: String
    var isPaid: Bool

    private let now: Instant

    init(_ facts: SimulatedSubscription, now: Instant) {
        self.now = now
        token = SimulatedGooglePlay.lineage(of: facts)
        product = SimulatedProduct(id: facts.product, kind: facts.kind)
        nextProduct = facts.pendingProduct
        state = GooglePurchaseModel.state(of: facts.state)
        let length = facts.isTrial ? SimulatedProduct.trial : product.period
        expiresAt = facts.accessUntil ?? now + length
        startedAt = facts.startedAt ?? min(expiresAt - length, now)
        if facts.isTrial { (phase, offer) = ("freeTrial", "trial") }
        renewals = facts.renewals
        autoRenews = facts.autoRenew && facts.state != .cancelled
        if facts.state == .cancelled { cancellation = .user }
        purchaseState = facts.state == .pending ? "PENDING" : facts.state == .revoked ? "CANCELLED" : "PURCHASED"
        isPaid = facts.state != .pending && facts.state != .expired
    }

    private static func state(of state: ContractState) -> String {
        switch state {
        case .pending: "PENDING"
        case .active, .owned, .delivered: "ACTIVE"
        case .cancelled: "CANCELED"
        case .inGracePeriod: "IN_GRACE_PERIOD"
        case .inBillingRetry: "ON_HOLD"
        case .paused: "PAUSED"
        case .expired, .revoked: "EXPIRED"
        }
    }

    mutating func apply(_ type: String, subtype: String?) {
        switch type {
        case "SUBSCRIPTION_PURCHASED": purchase(subtype)
        case "SUBSCRIPTION_RENEWED", "SUBSCRIPTION_RECOVERED": renew()
        case "SUBSCRIPTION_CANCELED", "SUBSCRIPTION_CANCELLATION_SCHEDULED": cancel(.user)
        case "SUBSCRIPTION_RESTARTED": (state, autoRenews, cancellation) = ("ACTIVE", true, nil)
        case "SUBSCRIPTION_IN_GRACE_PERIOD": (state, expiresAt) = ("IN_GRACE_PERIOD", now + GooglePurchaseModel.grace)
        case "SUBSCRIPTION_ON_HOLD": (state, expiresAt) = ("ON_HOLD", min(expiresAt, now))
        case "SUBSCRIPTION_PAUSED":
            state = "PAUSED"
            expiresAt = min(expiresAt, now)
            resumesAt = now + product.period
        case "SUBSCRIPTION_DEFERRED": expiresAt = expiresAt + .days(30)
        case "SUBSCRIPTION_REVOKED": end(.developer)
        case "SUBSCRIPTION_EXPIRED": expire(subtype)
        case "SUBSCRIPTION_PENDING_PURCHASE_CANCELED": state = "PENDING_PURCHASE_CANCELED"
        case "SUBSCRIPTION_ITEMS_CHANGED": if subtype == "offer" { offer = "comeback" }
        case "SUBSCRIPTION_PRICE_CHANGE_UPDATED", "SUBSCRIPTION_PRICE_STEP_UP_CONSENT_UPDATED":
            priceChange = subtype == "accepted" ? "CONFIRMED" : "OUTSTANDING"
        case "ONE_TIME_PRODUCT_PURCHASED":
            isPaid = subtype != "pending"
            purchaseState = isPaid ? "PURCHASED" : "PENDING"
        case "ONE_TIME_PRODUCT_CANCELED":
            isPaid = false
            purchaseState = "CANCELLED"
        case "VOIDED_PURCHASE": void(subtype)
        default: break
        }
    }

    /// A purchase that replaces another one gets a new token: the old purchase has ended.
    private mutating func purchase(_ how: String?) {
        renewals = 0
        // A deferred downgrade continues the period that is already paid for.
        if how != "downgrade" { startedAt = now }
        if ["upgrade", "pending_upgrade", "downgrade", "again", "resubscribe"].contains(how) {
            replaced = token
            token = SimulatedGooglePlay.successor(of: token)
        }
        switch how {
        case "upgrade", "pending_upgrade":
            product = SimulatedProduct(id: nextProduct ?? product.other, kind: .subscription)
            nextProduct = nil
        case "downgrade":
            nextProduct = nextProduct ?? product.other
            return
        case "resubscribe": isOutsideApp = true
        default: break
        }
        let isTrial = how == "trial" || phase != nil && replaced == nil
        (phase, offer) = isTrial ? ("freeTrial", "trial") : (nil, nil)
        state = how == "pending" || how == "pending_upgrade" ? "PENDING" : "ACTIVE"
        autoRenews = true
        cancellation = nil
        expiresAt = now + (isTrial ? SimulatedProduct.trial : product.period)
    }

    /// A deferred change of plan takes effect at the renewal.
    private mutating func renew() {
        if let nextProduct { product = SimulatedProduct(id: nextProduct, kind: .subscription) }
        nextProduct = nil
        state = "ACTIVE"
        autoRenews = true
        cancellation = nil
        (phase, offer) = (nil, nil)
        expiresAt = max(expiresAt, now) + product.period
        renewals += 1
    }

    private mutating func cancel(_ who: Cancellation) {
        state = "CANCELED"
        autoRenews = false
        cancellation = who
    }

    private mutating func end(_ who: Cancellation) {
        cancel(who)
        state = "EXPIRED"
        expiresAt = min(expiresAt, now)
    }

    private mutating func expire(_ why: String?) {
        switch why {
        case "billing": end(.system)
        case "price":
            end(.system)
            priceChange = "OUTSTANDING"
        case "replaced": end(.replacement)
        case "other": end(.developer)
        default: end(.user)
        }
    }

    /// `past` and `partial` leave the purchase unchanged.
    private mutating func void(_ what: String?) {
        guard what != "past", what != "partial" else { return }
        purchaseState = "CANCELLED"
        if product.kind == .subscription { end(.developer) }
    }
}
