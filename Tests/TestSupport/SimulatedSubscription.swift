internal import Domain

/// One subscription as the store sees it: its steps change the truth and return what the store (or the app, which posts
/// a transaction without a status) says of it.
struct SimulatedSubscription {
    enum Step: CaseIterable {
        case start, renew, recover, grace, retry, upgrade, downgrade, keepPlan, renewalOff, renewalOn, expire
        case refundCurrent, refundOlder, reverse, extend, appPosts

        var kind: EventKind {
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
            }
        }
    }

    static let period = Duration.seconds(30 * 86_400)

    let key: ContractKey
    let isFamilyShared: Bool
    var token: OrderToken?
    private(set) var state = ContractState.expired
    private var charges: [Transaction] = []
    private var product = "monthly"
    private var pendingProduct: String?
    private var autoRenew = false
    private var accessUntil = Instant(milliseconds: 0)
    private var stateBeforeRefund: ContractState?

    init(lineage: String, isFamilyShared: Bool) {
        key = ContractKey(provider: .apple, environment: .production, app: "com.example", lineage: lineage)
        self.isFamilyShared = isFamilyShared
    }

    /// Access ends by itself.
    mutating func pass(to now: Instant) {
        if [.active, .cancelled, .inGracePeriod].contains(state), accessUntil <= now { state = .expired }
    }

    var possibleSteps: [Step] {
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

    mutating func take(_ step: Step, at now: Instant) -> [Observation] {
        switch step {
        case .start, .renew, .recover:
            charge(at: now)
            (state, autoRenew) = (.active, true)
        case .upgrade:
            charges[charges.count - 1].isUpgraded = true
            product = product == "monthly" ? "yearly" : "monthly"
            charge(at: now)
            (state, autoRenew) = (.active, true)
        case .grace: (state, accessUntil) = (.inGracePeriod, accessUntil + .seconds(16 * 86_400))
        case .retry: (state, accessUntil) = (.inBillingRetry, min(accessUntil, now))
        case .downgrade: pendingProduct = "basic"
        case .keepPlan: pendingProduct = nil
        case .renewalOff: (state, autoRenew) = (.cancelled, false)
        case .renewalOn: (state, autoRenew) = (.active, true)
        case .expire: (state, autoRenew, accessUntil) = (.expired, false, min(accessUntil, now))
        case .refundCurrent: refund(at: now)
        case .refundOlder: return refundOlder(at: now)
        case .reverse: reverse(at: now)
        case .extend: extend()
        case .appPosts: return [observation(charges.count - 1, at: now, withSnapshot: false)]
        }
        let confirmed = observation(charges.count - 1, at: now, withSnapshot: true)
        guard step == .renew || step == .start else { return [confirmed] }
        return [observation(charges.count - 1, at: now, withSnapshot: false), confirmed]
    }

    private mutating func charge(at now: Instant) {
        accessUntil = max(now, product == "monthly" ? now : accessUntil) + SimulatedSubscription.period
        pendingProduct = nil
        charges.append(
            Transaction(
                id: "\(key.lineage).\(charges.count)",
                product: product,
                purchasedAt: now,
                expiresAt: accessUntil,
                price: 9990,
                currency: "EUR",
                signedAt: now
            )
        )
    }

    private mutating func refund(at now: Instant) {
        stateBeforeRefund = state
        charges[charges.count - 1].revokedAt = now
        (state, autoRenew) = (.revoked, false)
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

    private mutating func observation(_ index: Int, at now: Instant, withSnapshot: Bool) -> Observation {
        charges[index].signedAt = now
        let snapshot = Snapshot(
            state: state,
            product: product,
            pendingProduct: pendingProduct,
            autoRenew: autoRenew,
            accessUntil: accessUntil,
            signedAt: now
        )
        return Observation(
            contract: key,
            kind: .subscription,
            group: "premium",
            token: token,
            isFamilyShared: isFamilyShared,
            transaction: charges[index],
            snapshot: withSnapshot ? snapshot : nil
        )
    }
}
