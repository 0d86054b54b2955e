internal import Domain

extension PurchaseKitEvent {
    /// What happened, by its name. `updated` is a renewal, another plan or a cancellation that was taken back: only
    /// what was before tells them apart.
    var kind: EventKind {
        switch (type, status) {
        case ("subscription.created", _): .subscriptionStarted
        case ("subscription.updated", "canceled"), ("subscription.canceled", _): .autoRenewOff
        case ("subscription.updated", "expired"), ("subscription.expired", _): .subscriptionExpired
        case ("subscription.updated", _): .subscriptionRenewed
        default: .providerUnknown
        }
    }

    /// Nil when it names no subscription.
    func observation(_ catalog: Catalog, now: Instant) -> Observation? {
        guard let lineage else { return nil }
        return Observation(
            contract: ContractKey(
                provider: .purchasekit,
                environment: .production,
                app: Provider.purchasekit.rawValue,
                lineage: lineage
            ),
            kind: .subscription,
            token: customer.flatMap { OrderToken($0) },
            user: customer.map { UserID($0) },
            snapshot: snapshot(catalog, now)
        )
    }

    /// Nil when it states no end of access that it speaks of: what is known stays, and nothing opens for ever.
    private func snapshot(_ catalog: Catalog, _ now: Instant) -> Snapshot? {
        guard let state, let accessUntil = accessUntil(state, now) else { return nil }
        return Snapshot(
            state: state,
            product: product(catalog),
            autoRenew: state == .active,
            accessUntil: accessUntil,
            signedAt: statedAt(state, now)
        )
    }

    /// `status` decides; an event of a known name that lacks it means what it is called.
    private var state: ContractState? {
        switch status ?? type {
        case "active", "subscription.created", "subscription.updated": .active
        case "canceled", "subscription.canceled": .cancelled
        case "expired", "subscription.expired": .expired
        default: nil
        }
    }

    private func accessUntil(_ state: ContractState, _ now: Instant) -> Instant? {
        switch state {
        case .active: periodEnd
        case .cancelled: endsAt ?? periodEnd
        default: [endsAt, periodEnd, now].compactMap { $0 }.min()
        }
    }

    /// The date by which statements of one subscription are ordered. The payload has none and the signature is valid
    /// for ever, so it follows from the period that the event speaks of: a newer period counts more, and within one
    /// the end counts more than the cancellation, that more than an update, and the creation least. A `created` that
    /// comes late, or is posted again under another id, can therefore never reopen what ended. Its price: within a
    /// period a cancellation that is taken back shows with the next renewal only. Access is the same meanwhile.
    ///
    /// An end without any date is believed as of its arrival; a purchase without a period's start yields to all.
    func statedAt(_ state: ContractState, _ now: Instant) -> Instant {
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
            // Before the period that may begin at this instant.
            base = min(endsAt ?? periodEnd ?? now, now) - .milliseconds(10)
        }
        return base + .milliseconds(finality)
    }

    /// The same for the event as a whole.
    func statedAt(now: Instant) -> Instant {
        state.map { statedAt($0, now) } ?? now
    }
}
