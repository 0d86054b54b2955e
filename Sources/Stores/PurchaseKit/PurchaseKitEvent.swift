import Domain

/// A webhook from PurchaseKit: its own interpretation of a store's notification, as one flat object
/// (https://github.com/PurchaseKit/purchasekit).
struct PurchaseKitEvent {
    /// Google's purchase tokens are longer than other ids.
    private static let lineageLimit = 1024

    let id: String
    let type: String
    let status: String?
    let lineage: String?
    let customer: String?
    /// `apple` or `google`.
    let store: String?
    let periodStart: Instant?
    let periodEnd: Instant?
    let endsAt: Instant?
    /// Nil without a trial, and in a form that is no date.
    private let trialEndsAt: Instant?
    private let product: String?
    private let basePlan: String?
    private let name: String?

    init(_ body: [UInt8]) throws(VerificationError) {
        let fields = try StoreObject(body)
        guard let id = try fields.checkedID("event_id"), let type = try fields.checkedText("type") else {
            throw .malformed(.invalidPayload)
        }
        self.id = id
        self.type = type
        status = try fields.checkedText("status")
        lineage = try fields.checkedID("subscription_id", limit: PurchaseKitEvent.lineageLimit)
        customer = try fields.checkedID("customer_id")
        store = fields.text("store")
        product = try fields.checkedText("store_product_id")
        basePlan = try fields.checkedText("google_base_plan_id")
        name = fields.text("subscription_name")
        periodStart = try fields.checkedDate("current_period_start")
        // A date that decides nothing may have any form, because refusing a genuine event would lose it.
        let end = try fields.checkedDate("current_period_end")
        periodEnd = end == nil ? try fields.checkedDate("trial_ends_at") : end
        trialEndsAt = fields.date("trial_ends_at")
        endsAt = PurchaseKitEvent.state(status ?? type) == .active ? nil : try fields.checkedDate("ends_at")
    }

    /// The store's product, with Google's base plan if the catalog distinguishes the plans. An end may come without a
    /// product: then PurchaseKit's name of the subscription.
    func product(_ catalog: Catalog) -> String {
        let full = product.flatMap { product in basePlan.map { "\(product):\($0)" } }
        if let full, isValidIdentifier(full), catalog[full] != nil { return full }
        return product ?? name ?? ""
    }
}

extension PurchaseKitEvent {
    /// The kind of event. `updated` is a renewal, a change of plan, or a cancellation that was taken back: only the
    /// previous state distinguishes them.
    var kind: EventKind {
        switch (type, status) {
        case ("subscription.created", _): .subscriptionStarted
        case ("subscription.updated", "canceled"), ("subscription.canceled", _): .autoRenewOff
        case ("subscription.updated", "expired"), ("subscription.expired", _): .subscriptionExpired
        case ("subscription.updated", _): .subscriptionRenewed
        default: .providerUnknown
        }
    }

    /// Returns nil when it names no subscription.
    func observation(_ catalog: Catalog, now: Instant) -> Observation? {
        guard let lineage else { return nil }
        let app = Provider.purchasekit.rawValue
        let key = ContractKey(provider: .purchasekit, environment: .production, app: app, lineage: lineage)
        var observation = Observation(contract: key, kind: .subscription)
        observation.token = customer.flatMap { OrderToken($0) }
        observation.user = customer.map { UserID($0) }
        observation.store = store?.lowercased()
        observation.snapshot = snapshot(catalog, now: now)
        observation.charges = charges(catalog)
        return observation
    }

    /// PurchaseKit reports neither charges nor prices. A period that it reports as running was paid for, or is a trial.
    private func charges(_ catalog: Catalog) -> [Charge] {
        guard let lineage, let periodStart, let periodEnd, state == .active || state == .cancelled else { return [] }
        // Whatever else it says of the period is the same.
        var terms = ChargeTerms(product: product(catalog), purchasedAt: periodStart, statedAt: periodStart)
        terms.expiresAt = periodEnd
        terms.isTrial = isTrial
        terms.order = customer.flatMap { OrderToken($0) }
        return [Charge(id: "\(lineage)/\(periodStart.iso8601)", terms: terms)]
    }

    /// Nil when it does not state until when access lasts: then the previous state stays, and nothing opens forever.
    private func snapshot(_ catalog: Catalog, now: Instant) -> Snapshot? {
        guard let state, let accessUntil = accessUntil(state, now: now) else { return nil }
        return Snapshot(
            state: state,
            product: product(catalog),
            autoRenew: state == .active,
            accessUntil: accessUntil,
            signedAt: statedAt(state, now: now),
            isTrial: isTrial
        )
    }

    /// The date of a trial may stay after it: the period is one if it ends with the trial.
    private var isTrial: Bool {
        guard let trialEndsAt, let periodEnd else { return false }
        return periodEnd <= trialEndsAt
    }

    /// `status` decides. If a known event has none, its type decides.
    private var state: ContractState? { PurchaseKitEvent.state(status ?? type) }

    private static func state(_ word: String) -> ContractState? {
        switch word {
        case "active", "subscription.created", "subscription.updated": .active
        case "canceled", "subscription.canceled": .cancelled
        case "expired", "subscription.expired": .expired
        default: nil
        }
    }

    private func accessUntil(_ state: ContractState, now: Instant) -> Instant? {
        switch state {
        case .active: periodEnd
        case .cancelled: endsAt ?? periodEnd
        default: [endsAt, periodEnd, now].compactMap { $0 }.min()
        }
    }

    /// The date that orders the statements of one subscription. The payload has none and the signature never expires,
    /// so the date follows from the event's period: a newer period wins, and within one period the end wins over the
    /// cancellation, the cancellation over an update, and everything over the creation. So a `created` that arrives
    /// late, or is posted again under another id, can never reopen what has ended. The price: a cancellation that is
    /// taken back within a period only shows with the next renewal. Access is the same meanwhile.
    ///
    /// An end without any date counts as of its arrival; a purchase without a period's start yields to all others.
    func statedAt(_ state: ContractState, now: Instant) -> Instant {
        let finality: Int64 =
            switch state {
            case .active: type == "subscription.created" ? 0 : 1
            case .cancelled: 2
            default: 3
            }
        let base: Instant
        if let periodStart {
            base = periodStart
        } else if state == .active {
            base = Instant(milliseconds: 0)
        } else {
            // Before a period that may begin at this instant.
            base = min(endsAt ?? periodEnd ?? now, now) - .milliseconds(10)
        }
        return base + .milliseconds(finality)
    }

    /// When the event as a whole was stated.
    func statedAt(now: Instant) -> Instant {
        state.map { statedAt($0, now: now) } ?? now
    }
}
