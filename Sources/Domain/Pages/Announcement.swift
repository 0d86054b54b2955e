/// One change to a user's page: which element gets which fragment, and whose values it shows.
public struct Announcement: Sendable, Equatable {
    public var target: PageTarget
    public var name: FragmentName
    public var heldContract: HeldContract

    /// Both elements as they should look now, regardless of what they show: for pages that may have missed something.
    public static func current(_ entitlements: EntitlementSet) -> [Announcement] {
        guard let winner = entitlements.winner else { return [] }
        return PageTarget.allCases.map { Announcement(target: $0, name: winner.status.fragment, heldContract: winner) }
    }
}

/// What a commit changed for one user: what the user held before and holds after, and which contracts have changed.
struct PageChange {
    let before: EntitlementSet
    let after: EntitlementSet
    let contracts: Set<ContractKey>
    /// Those among them that were bought together with another one, which is announced for both.
    var beside: Set<ContractKey> = []

    /// The changes on the user's page.
    ///
    /// Both elements are functions of the contracts held, so the newest fragments always agree with the newest state and with
    /// each other: one element never describes the winning contract while the other still describes an older one. Both
    /// are therefore replaced, with the same fragment name, whenever something changes that a page shows about the
    /// winner. A purchase that is handed over brings `success` to `paywall`. Only offers that are already shown stay as
    /// they are: they say nothing about a contract, and the visitor may be choosing.
    var announcements: [Announcement] { [paywall, status].compactMap(\.self) }

    private var paywall: Announcement? {
        func announce(_ name: FragmentName, of contract: HeldContract) -> Announcement {
            Announcement(target: .paywall, name: name, heldContract: contract)
        }
        let held = before.contracts
        let changed = after.ranked.filter { contracts.contains($0.contract) }
        let bought = changed.first {
            !beside.contains($0.contract) && $0.isHandedOver(since: held[$0.contract] ?? before.migrated(to: $0))
        }
        if let bought {
            // A purchase that was restored in its grace period gives access, but still needs another card.
            return announce(bought.status.state == .inGracePeriod ? .warnBilling : .success, of: bought)
        }
        if !after.isActive, let lost { return announce(.moved, of: lost) }
        if let consumable = changed.first, changed.allSatisfy({ $0.kind == .consumable }) {
            return isRefused(consumable) ? announce(consumable.status.fragment, of: consumable) : nil
        }
        guard let winner = after.winner else { return nil }
        let name = winner.status.fragment
        let shown = before.winner?.status.fragment ?? .paywall
        if name == shown, name == .paywall || !isNews { return nil }
        return announce(name, of: winner)
    }

    private var status: Announcement? {
        guard let winner = after.winner else {
            guard let lost, lost.kind != .consumable else { return nil }
            return Announcement(target: .subscriptionStatus, name: .moved, heldContract: lost)
        }
        if let shown = before.winner, shown.status.shows(sameAs: winner.status) { return nil }
        return Announcement(target: .subscriptionStatus, name: winner.status.fragment, heldContract: winner)
    }

    /// The best of the changed contracts that the user had before and has no more.
    private var lost: HeldContract? {
        let kept = after.contracts
        return before.ranked.first { contracts.contains($0.contract) && kept[$0.contract] == nil }
    }

    /// True when the element may show something that no longer holds: about the contract that speaks for the user, or
    /// about another one, whose `success` it showed.
    private var isNews: Bool {
        if !shows(before.winner, sameAs: after.winner) { return true }
        let others = before.ranked.filter { $0.kind != .consumable && $0.status.isActive }
        let kept = after.contracts
        return others.contains { other in
            // A contract may continue under another id.
            !shows(other, sameAs: kept[other.contract] ?? after.ranked.first { $0.replaces == other.contract })
        }
    }

    private func shows(_ left: HeldContract?, sameAs right: HeldContract?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        return left.status.shows(sameAs: right.status)
    }

    /// A consumable that was refunded, or whose payment is pending or failed. It is shown only when the user has no
    /// access to anything.
    private func isRefused(_ consumable: HeldContract) -> Bool {
        !after.isActive && before[consumable.contract]?.status.state != consumable.status.state
    }
}

extension HeldContract {
    /// True when this purchase has just come into effect: somebody is waiting to see it, whatever else the user holds.
    fileprivate func isHandedOver(since previous: HeldContract?) -> Bool {
        guard status.isActive || status.state == .delivered else { return false }
        guard let previous, previous.status.isActive || previous.status.state == .delivered else { return true }
        return previous.status.product != status.product
    }
}

extension ContractStatus {
    fileprivate var fragment: FragmentName {
        switch state {
        case .active: pendingProduct == nil && !isPausing ? .manage : .ending
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

    /// Renewal counts as on until a store says that it is off. So the webhook that confirms a transaction posted by the
    /// app does not replace the page's elements a second time.
    fileprivate func shows(sameAs other: ContractStatus) -> Bool {
        (state, product, pendingProduct, accessUntil, autoRenew ?? true)
            == (other.state, other.product, other.pendingProduct, other.accessUntil, other.autoRenew ?? true)
            && (isPausing, isTrial) == (other.isPausing, other.isTrial)
    }
}
