/// One change to a user's page: which element gets which fragment, and whose values it shows.
public struct Announcement: Sendable, Equatable {
    public var target: PageTarget
    public var name: FragmentName
    public var heldContract: HeldContract

    /// The changes on one user's page after a commit that changed these contracts.
    ///
    /// Both elements are functions of the contracts held, so the newest fragments always agree with the newest state and with
    /// each other: one element never describes the winning contract while the other still describes an older one. Both
    /// are therefore replaced, with the same fragment name, whenever something changes that a page shows about the
    /// winner. A purchase that is handed over brings `success` to `paywall`. Only offers that are already shown stay as
    /// they are: they say nothing about a contract, and the visitor may be choosing.
    ///
    /// `beside` are those among them that were bought together with another one, which is announced for both.
    public static func announcements(
        before: EntitlementSet,
        after: EntitlementSet,
        changing contracts: Set<ContractKey>,
        beside: Set<ContractKey> = []
    ) -> [Announcement] {
        [
            paywall(before, after: after, changing: contracts, beside: beside),
            status(before, after: after, changing: contracts),
        ].compactMap { $0 }
    }

    /// Both elements as they should look now, regardless of what they show: for pages that may have missed something.
    public static func current(_ entitlements: EntitlementSet) -> [Announcement] {
        guard let winner = entitlements.winner else { return [] }
        return [
            Announcement(target: .paywall, name: name(winner.status), heldContract: winner),
            Announcement(target: .subscriptionStatus, name: name(winner.status), heldContract: winner),
        ]
    }

    private static func paywall(
        _ before: EntitlementSet,
        after: EntitlementSet,
        changing contracts: Set<ContractKey>,
        beside: Set<ContractKey>
    ) -> Announcement? {
        let held = before.contracts
        let changed = after.ranked.filter { contracts.contains($0.contract) }
        let bought = changed.first {
            !beside.contains($0.contract) && isHandedOver($0, since: held[$0.contract] ?? before.migrated(to: $0))
        }
        if let bought {
            // A purchase that was restored in its grace period gives access, but still needs another card.
            let isInGrace = bought.status.state == .inGracePeriod
            return Announcement(target: .paywall, name: isInGrace ? .warnBilling : .success, heldContract: bought)
        }
        if !after.isActive, let lost = lost(before, after: after, of: contracts) {
            return Announcement(target: .paywall, name: .moved, heldContract: lost)
        }
        if let consumable = changed.first, changed.allSatisfy({ $0.kind == .consumable }) {
            return refusal(of: consumable, before: before, after: after)
        }
        guard let winner = after.winner else { return nil }
        let name = name(winner.status)
        let shown = before.winner.map { Announcement.name($0.status) } ?? .paywall
        if name == shown, name == .paywall || !isNews(before, after: after) { return nil }
        return Announcement(target: .paywall, name: name, heldContract: winner)
    }

    /// The best of the changed contracts that the user had before and has no more.
    private static func lost(
        _ before: EntitlementSet,
        after: EntitlementSet,
        of contracts: Set<ContractKey>
    ) -> HeldContract? {
        let kept = after.contracts
        return before.ranked.first { contracts.contains($0.contract) && kept[$0.contract] == nil }
    }

    /// True when the element may show something that no longer holds: about the contract that speaks for the user, or
    /// about another one, whose `success` it showed.
    private static func isNews(_ before: EntitlementSet, after: EntitlementSet) -> Bool {
        if !shows(before.winner, sameAs: after.winner) { return true }
        let others = before.ranked.filter { $0.kind != .consumable && $0.status.isActive }
        let kept = after.contracts
        return others.contains { other in
            // A contract may continue under another id.
            !shows(other, sameAs: kept[other.contract] ?? after.ranked.first { $0.replaces == other.contract })
        }
    }

    private static func shows(_ left: HeldContract?, sameAs right: HeldContract?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        return left.status.shows(sameAs: right.status)
    }

    private static func status(
        _ before: EntitlementSet,
        after: EntitlementSet,
        changing contracts: Set<ContractKey>
    ) -> Announcement? {
        guard let winner = after.winner else {
            guard let lost = lost(before, after: after, of: contracts), lost.kind != .consumable else { return nil }
            return Announcement(target: .subscriptionStatus, name: .moved, heldContract: lost)
        }
        if let shown = before.winner, shown.status.shows(sameAs: winner.status) { return nil }
        return Announcement(target: .subscriptionStatus, name: name(winner.status), heldContract: winner)
    }

    /// True when this purchase has just come into effect: somebody is waiting to see it, whatever else the user holds.
    private static func isHandedOver(_ heldContract: HeldContract, since previous: HeldContract?) -> Bool {
        guard heldContract.status.isActive || heldContract.status.state == .delivered else { return false }
        guard let previous, previous.status.isActive || previous.status.state == .delivered else { return true }
        return previous.status.product != heldContract.status.product
    }

    /// A consumable that was refunded, or whose payment is pending or failed. It is shown only when the user has no
    /// access to anything.
    private static func refusal(of heldContract: HeldContract, before: EntitlementSet, after: EntitlementSet)
        -> Announcement?
    {
        guard !after.isActive, before[heldContract.contract]?.status.state != heldContract.status.state else {
            return nil
        }
        return Announcement(target: .paywall, name: name(heldContract.status), heldContract: heldContract)
    }

    private static func name(_ status: ContractStatus) -> FragmentName {
        switch status.state {
        case .active: status.pendingProduct == nil && !status.isPausing ? .manage : .ending
        case .owned, .delivered: .manage
        case .cancelled: .ending
        case .inGracePeriod: .warnBilling
        case .pending: .pending
        case .inBillingRetry: .fixBilling
        case .paused: .paused
        case .expired: .paywall
        case .revoked: .revoked
        }
    }
}

extension ContractStatus {
    /// Renewal counts as on until a store says that it is off. So the webhook that confirms a transaction posted by the
    /// app does not replace the page's elements a second time.
    fileprivate func shows(sameAs other: ContractStatus) -> Bool {
        (state, product, pendingProduct, accessUntil, autoRenew ?? true, isPausing)
            == (
                other.state, other.product, other.pendingProduct, other.accessUntil, other.autoRenew ?? true,
                other.isPausing
            )
    }
}
