import Domain

/// The store's statement after an event: the facts that go into one notification. Pure: it applies the name of an
/// event to the facts. A type that Apple does not list leaves the facts unchanged
/// (https://developer.apple.com/documentation/appstoreservernotifications/notificationtype).
struct AppStorePurchaseModel {
    static let gracePeriod = Duration.days(16)

    var product: SimulatedProduct
    /// The product that the next renewal buys.
    var nextProduct: String
    var lineage: String
    var previousLineage: String?
    /// `data.status`.
    var status: Int
    var purchasedAt: Instant
    var expiresAt: Instant
    /// Identifies the period; the transaction's id is derived from it.
    var period: Instant
    var autoRenews: Bool
    var reason: String
    var isFamilyShared = false
    var graceUntil: Instant?
    var isInBillingRetry: Bool?
    var expirationIntent: Int?
    var priceIncreaseStatus: Int?
    var revocation: (date: Instant, type: String)?
    var isOffer = false
    var isTrial: Bool
    var consumptionRequestReason: String?

    private let now: Instant

    init(_ facts: SimulatedSubscription, now: Instant) {
        product = SimulatedProduct(id: facts.product, kind: facts.kind)
        if let group = facts.group { product.group = group }
        let isRunning = [.active, .cancelled, .pending].contains(facts.state)
        isTrial = facts.isTrial
        let length = isTrial ? SimulatedProduct.trial : product.period
        let end = facts.accessUntil ?? (isRunning ? now + length : now - .seconds(1))
        nextProduct = facts.pendingProduct ?? facts.product
        lineage = facts.lineage
        status = AppStorePurchaseModel.status(of: facts.state)
        purchasedAt = min(end - length, now)
        expiresAt = end
        period = end
        autoRenews = facts.autoRenew
        reason = facts.renewals > 0 ? "RENEWAL" : "PURCHASE"
        self.now = now
        if status == 4 {
            graceUntil = end
            expiresAt = min(end - AppStorePurchaseModel.gracePeriod, now)
        }
        if status == 3 || status == 4 { isInBillingRetry = true }
        if status == 5 { revocation = (now, "REFUND_FULL") }
    }

    private static func status(of state: ContractState) -> Int {
        switch state {
        case .expired: 2
        case .inBillingRetry, .paused: 3
        case .inGracePeriod: 4
        case .revoked: 5
        case .pending, .active, .cancelled, .owned, .delivered: 1
        }
    }

    mutating func apply(_ type: String, subtype: String?) {
        switch (type, subtype) {
        case ("SUBSCRIBED", _), ("ONE_TIME_CHARGE", _): startPeriod(at: now)
        case ("DID_RENEW", _): renew()
        case ("DID_CHANGE_RENEWAL_PREF", _), ("OFFER_REDEEMED", _): changePlan(type, subtype: subtype)
        case ("DID_CHANGE_RENEWAL_STATUS", _): autoRenews = subtype == "AUTO_RENEW_ENABLED"
        case ("DID_FAIL_TO_RENEW", "GRACE_PERIOD"): failToRenew(graceUntil: now + AppStorePurchaseModel.gracePeriod)
        case ("DID_FAIL_TO_RENEW", _): failToRenew(graceUntil: nil)
        case ("GRACE_PERIOD_EXPIRED", _):
            failToRenew(graceUntil: nil)
            graceUntil = now - .seconds(1)
        case ("EXPIRED", _): expire(subtype)
        case ("PRICE_INCREASE", _): priceIncreaseStatus = subtype == "ACCEPTED" ? 1 : 0
        case ("REFUND", _): revoke("REFUND_FULL")
        case ("REFUND_REVERSED", _): reinstate()
        case ("CONSUMPTION_REQUEST", _): consumptionRequestReason = "UNINTENDED_PURCHASE"
        case ("RENEWAL_EXTENDED", _): expiresAt = expiresAt + .days(30)
        case ("REVOKE", _):
            isFamilyShared = true
            revoke("FAMILY_REVOKE")
        case ("MIGRATION", _):
            previousLineage = lineage
            lineage = StoreID.make(lineage, "migrated")
        default: break
        }
    }

    private mutating func startPeriod(at start: Instant) {
        status = 1
        purchasedAt = min(start, now)
        reason = "PURCHASE"
        expiresAt = start + (isTrial ? SimulatedProduct.trial : product.period)
        period = expiresAt
        autoRenews = true
        nextProduct = product.id
        graceUntil = nil
        isInBillingRetry = nil
        revocation = nil
    }

    /// A scheduled change of plan takes effect at the renewal.
    private mutating func renew() {
        beginNextProduct()
        startPeriod(at: max(expiresAt, now))
        reason = "RENEWAL"
    }

    private mutating func changePlan(_ type: String, subtype: String?) {
        isOffer = type == "OFFER_REDEEMED"
        switch subtype {
        case "UPGRADE":
            nextProduct = neighbour(.upgrade)
            beginNextProduct()
            startPeriod(at: now)
        case "DOWNGRADE": nextProduct = neighbour(.downgrade)
        default: nextProduct = product.id
        }
    }

    /// In the same group.
    private mutating func beginNextProduct() {
        isTrial = false
        let group = product.group
        product = SimulatedProduct(id: nextProduct, kind: product.kind)
        product.group = group
    }

    /// The requested product, or the other one in the catalog, or a made-up one.
    private func neighbour(_ step: LifecycleStep) -> String {
        nextProduct == product.id ? SimulatedProduct.neighbour(of: product.id, step) : nextProduct
    }

    private mutating func failToRenew(graceUntil end: Instant?) {
        status = end == nil ? 3 : 4
        graceUntil = end
        isInBillingRetry = true
        expirationIntent = 2
        expiresAt = min(expiresAt, now - .seconds(1))
    }

    private mutating func expire(_ subtype: String?) {
        status = 2
        expiresAt = min(expiresAt, now - .seconds(1))
        autoRenews = false
        graceUntil = nil
        isInBillingRetry = false
        expirationIntent =
            switch subtype {
            case "VOLUNTARY": 1
            case "BILLING_RETRY": 2
            case "PRICE_INCREASE": 3
            case "PRODUCT_NOT_FOR_SALE": 4
            default: 5
            }
    }

    private mutating func revoke(_ type: String) {
        status = 5
        revocation = (now, type)
        autoRenews = false
    }

    private mutating func reinstate() {
        status = 1
        revocation = nil
        autoRenews = true
        if expiresAt <= now { expiresAt = now + product.period }
    }
}
