public import Domain

/// One subscription as the store sees it. Each step changes its state and returns what the store reports, or the app,
/// which posts a transaction without a status.
public struct StoreTimeline: Sendable {
    public enum Step: String, CaseIterable, Sendable {
        case start, renew, recover, grace, retry, upgrade, downgrade, keepPlan, renewalOff, renewalOn, expire
        case refundCurrent, refundOlder, reverse, extend, appPosts
        /// Not at every store.
        case wait, drop, pause, schedulePause

        public var kind: EventKind {
            switch self {
            case .start: .subscriptionStarted
            case .renew: .subscriptionRenewed
            case .recover: .subscriptionRecovered
            case .grace: .graceStarted
            case .retry: .billingRetry
            case .upgrade: .planChanged
            case .downgrade: .planChangeScheduled
            case .keepPlan: .planChangeCancelled
            case .renewalOff: .autoRenewOff
            case .renewalOn: .autoRenewOn
            case .expire: .subscriptionExpired
            case .refundCurrent, .refundOlder: .refundCompleted
            case .reverse: .refundReversed
            case .extend: .subscriptionExtended
            case .appPosts: .contractUpdated
            case .wait: .purchasePending
            case .drop: .purchasePendingCancelled
            case .pause: .paused
            case .schedulePause: .pauseScheduled
            }
        }
    }

    public static let period = Duration.seconds(30 * 86_400)

    public let key: ContractKey
    public let isFamilyShared: Bool
    public var token: OrderToken?
    public var account: String?
    public var user: UserID?
    public var previousLineage: String?
    public private(set) var state = ContractState.expired
    private let extras: [Step]
    private var charges: [Transaction] = []
    /// For each charge: the token that it carries, and whether it was a purchase.
    private var purchases: [(token: OrderToken?, isNew: Bool)] = []
    private var product = "monthly"
    private var pendingProduct: String?
    private var autoRenew = false
    private var accessUntil = Instant(milliseconds: 0)
    private var stateBeforeRefund: ContractState?

    /// `extras`: steps that only some stores have.
    public init(_ key: ContractKey, isFamilyShared: Bool = false, extras: [Step] = []) {
        self.key = key
        self.isFamilyShared = isFamilyShared
        self.extras = extras
    }

    /// The product that the first charge is for.
    public mutating func sells(_ product: String) { self.product = product }

    /// Access ends by itself.
    public mutating func pass(to now: Instant) {
        if [.active, .cancelled, .inGracePeriod].contains(state), accessUntil <= now { state = .expired }
    }

    public var possibleSteps: [Step] {
        commonSteps.filter { $0 != .reverse || charges.last?.revokedAt != nil } + extraSteps
    }

    private var extraSteps: [Step] {
        switch state {
        case .expired where charges.isEmpty: extras.filter { $0 == .wait }
        case .pending: extras.filter { $0 == .drop }
        case .active: extras.filter { $0 == .pause || $0 == .schedulePause }
        default: []
        }
    }

    private var commonSteps: [Step] {
        guard !charges.isEmpty else { return [.start] }
        switch state {
        case .active:
            return [
                .renew, .renew, .renew, .grace, .upgrade, .downgrade, .keepPlan, .renewalOff, .expire, .refundCurrent,
                .refundOlder, .extend, .appPosts,
            ]
        case .cancelled: return [.renewalOn, .expire, .refundOlder, .refundCurrent, .appPosts]
        case .inGracePeriod: return [.recover, .retry, .expire]
        case .inBillingRetry: return [.recover, .expire, .refundOlder]
        case .revoked: return [.reverse, .start]
        case .pending, .paused, .expired, .owned, .delivered: return [.start, .renew, .retry, .recover]
        }
    }

    public mutating func take(_ step: Step, at now: Instant) -> [Observation] {
        switch step {
        case .start, .renew, .recover:
            charge(at: now, isPurchase: step == .start)
            state = .active
            autoRenew = true
        case .upgrade:
            charges[charges.count - 1].isUpgraded = true
            product = product == "monthly" ? "yearly" : "monthly"
            charge(at: now, isPurchase: true)
            state = .active
            autoRenew = true
        case .grace: (state, accessUntil) = (.inGracePeriod, accessUntil + .seconds(16 * 86_400))
        case .retry: end(in: .inBillingRetry, at: now)
        case .downgrade: pendingProduct = "basic"
        case .keepPlan: pendingProduct = nil
        case .renewalOff: (state, autoRenew) = (.cancelled, false)
        case .renewalOn: (state, autoRenew) = (.active, true)
        case .expire:
            autoRenew = false
            end(in: .expired, at: now)
        case .refundCurrent: refund(at: now)
        case .refundOlder: return refundOlder(at: now)
        case .reverse: reverse(at: now)
        case .extend: extend()
        case .appPosts: return [observation(charges.count - 1, at: now, withSnapshot: false)]
        case .wait: (state, autoRenew) = (.pending, true)
        case .drop: (state, autoRenew) = (.expired, false)
        case .pause: end(in: .paused, at: now)
        case .schedulePause: break
        }
        let confirmed = observation(charges.count - 1, at: now, withSnapshot: true)
        guard step == .renew || step == .start, !charges.isEmpty else { return [confirmed] }
        return [observation(charges.count - 1, at: now, withSnapshot: false), confirmed]
    }

    /// Ends the period: no store reports that while it still runs.
    private mutating func end(in ended: ContractState, at now: Instant) {
        state = ended
        accessUntil = min(accessUntil, now)
        guard let last = charges.indices.last, let paid = charges[last].expiresAt else { return }
        charges[last].expiresAt = min(paid, accessUntil)
    }

    private mutating func charge(at now: Instant, isPurchase: Bool) {
        purchases.append((token, isPurchase))
        accessUntil = max(now, product == "monthly" ? now : accessUntil) + StoreTimeline.period
        pendingProduct = nil
        let id = "\(key.lineage).\(charges.count)"
        var charge = Transaction(id: id, product: product, purchasedAt: now, signedAt: now)
        charge.expiresAt = accessUntil
        (charge.price, charge.currency) = (9990, "EUR")
        charges.append(charge)
    }

    private mutating func refund(at now: Instant) {
        stateBeforeRefund = state
        charges[charges.count - 1].revokedAt = now
        state = .revoked
        autoRenew = false
    }

    private mutating func reverse(at now: Instant) {
        charges[charges.count - 1].revokedAt = nil
        accessUntil = charges[charges.count - 1].expiresAt ?? now
        state = stateBeforeRefund ?? .cancelled
        autoRenew = state == .active
        pass(to: now)
    }

    private mutating func extend() {
        accessUntil = accessUntil + .seconds(7 * 86_400)
        charges[charges.count - 1].expiresAt = accessUntil
    }

    private mutating func refundOlder(at now: Instant) -> [Observation] {
        guard charges.count > 1 else { return [observation(0, at: now, withSnapshot: true)] }
        charges[0].revokedAt = now
        return [observation(0, at: now, withSnapshot: true)]
    }

    /// What the store answers at `now`.
    public mutating func statement(at now: Instant) -> Observation {
        observation(charges.count - 1, at: now, withSnapshot: true)
    }

    private mutating func observation(_ index: Int, at now: Instant, withSnapshot: Bool) -> Observation {
        if index >= 0 { charges[index].signedAt = now }
        let end = charges.isEmpty ? nil : accessUntil
        var snapshot = Snapshot(state: state, product: product, autoRenew: autoRenew, accessUntil: end, signedAt: now)
        snapshot.pendingProduct = pendingProduct
        var observation = Observation(contract: key, kind: .subscription)
        observation.group = "premium"
        observation.token = index >= 0 ? purchases[index].token : token
        observation.account = account
        observation.user = user
        observation.previousLineage = previousLineage
        observation.isFamilyShared = isFamilyShared
        observation.isPurchase = index >= 0 && purchases[index].isNew
        observation.transaction = index >= 0 ? charges[index] : nil
        observation.snapshot = withSnapshot ? snapshot : nil
        return observation
    }
}
