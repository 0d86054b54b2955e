/// One change to a user's page: which element of which entitlement gets which fragment, and whose values it shows.
public struct Announcement: Sendable, Equatable {
    public var target: PageTarget
    public var entitlement: EntitlementName
    public var name: FragmentName
    public var heldContract: HeldContract

    /// All elements as they should look now, regardless of what they show: for pages that may have missed something.
    public static func current(_ set: EntitlementSet) -> [Announcement] {
        set.entitlements.flatMap { entitlement -> [Announcement] in
            guard let winner = entitlement.winner else { return [] }
            return PageTarget.allCases.map {
                Announcement(
                    target: $0,
                    entitlement: entitlement.name,
                    name: winner.status.fragment,
                    heldContract: winner
                )
            }
        }
    }
}

extension Announcement {
    /// As the page of somebody looks who has had it for long.
    var withoutThanks: Announcement {
        guard name == .success else { return self }
        return Announcement(
            target: target,
            entitlement: entitlement,
            name: heldContract.status.fragment,
            heldContract: heldContract
        )
    }

    /// Both elements of an entitlement that nothing opens any more, as for a purchase that has ended.
    static func closed(_ entitlement: EntitlementName, after contract: HeldContract) -> [Announcement] {
        PageTarget.allCases.map {
            Announcement(target: $0, entitlement: entitlement, name: .paywall, heldContract: contract.ended)
        }
    }
}

extension HeldContract {
    /// As if it had ended.
    fileprivate var ended: HeldContract {
        var ended = self
        ended.status.state = .expired
        return ended
    }
}

/// What a commit changed for one user: what the user held before and holds after, and which contracts have changed.
struct PageChange {
    let before: EntitlementSet
    let after: EntitlementSet
    let contracts: Set<ContractKey>
    /// Those among them that were bought together with another one, which is announced for both.
    var beside: Set<ContractKey> = []

    /// The changes on the user's page, entitlement by entitlement: a contract changes nothing on the elements of those that
    /// it does not open.
    var announcements: [Announcement] {
        zip(before.entitlements, after.entitlements).flatMap { before, after -> [Announcement] in
            // What takes a contract's place may open something else.
            let isConcerned =
                before.contracts.count != after.contracts.count
                || (before.contracts + after.contracts).contains { contracts.contains($0.contract) }
            guard isConcerned else { return [] }
            return EntitlementChange(before: before, after: after, of: self).announcements
        }
    }
}

/// What a commit changed about one entitlement.
private struct EntitlementChange {
    let before: Entitlement
    let after: Entitlement
    let contracts: Set<ContractKey>
    let beside: Set<ContractKey>
    /// The best of the contracts that opened the entitlement before and do not any more, as its page shows it.
    let lost: (name: FragmentName, heldContract: HeldContract)?

    init(before: Entitlement, after: Entitlement, of change: PageChange) {
        self.before = before
        self.after = after
        contracts = change.contracts
        beside = change.beside
        let kept = after.contracts.byKey
        lost = before.contracts.first { kept[$0.contract] == nil }.map { gone in
            // The user still has it: its product, or what has replaced it, opens something else.
            let isHeld = change.after.ranked.contains { $0.contract == gone.contract || $0.replaces == gone.contract }
            if change.contracts.contains(gone.contract), !isHeld { return (.moved, gone) }
            return (.paywall, gone.ended)
        }
    }

    /// Both elements are functions of the contracts held, so the newest fragments always agree with the newest state and with
    /// each other: one element never describes the winning contract while the other still describes an older one. Both
    /// are therefore replaced, with the same fragment name, whenever something changes that a page shows about the
    /// winner. Only offers that are already shown stay as they are: they say nothing about a contract, and the visitor may be
    /// choosing.
    var announcements: [Announcement] { [paywall, status].compactMap(\.self) }

    private func announce(_ name: FragmentName, of contract: HeldContract, on target: PageTarget) -> Announcement {
        Announcement(target: target, entitlement: after.name, name: name, heldContract: contract)
    }

    private var paywall: Announcement? {
        let held = before.contracts.byKey
        let bought = after.contracts.first {
            contracts.contains($0.contract) && !beside.contains($0.contract)
                && $0.hasBegun(since: held[$0.contract] ?? before.migrated(to: $0))
        }
        if let bought {
            // A purchase that was restored in its grace period gives access, but still needs another card.
            let name: FragmentName = bought.status.state == .inGracePeriod ? .warnBilling : .success
            return announce(name, of: bought, on: .paywall)
        }
        if !after.isActive, let lost, lost.name == .moved || after.winner == nil {
            return announce(lost.name, of: lost.heldContract, on: .paywall)
        }
        guard let winner = after.winner else { return nil }
        let name = winner.status.fragment
        let shown = before.winner?.status.fragment ?? .paywall
        if name == shown, name == .paywall || !isNews { return nil }
        return announce(name, of: winner, on: .paywall)
    }

    private var status: Announcement? {
        guard let winner = after.winner else {
            return lost.map { announce($0.name, of: $0.heldContract, on: .subscriptionStatus) }
        }
        if let shown = before.winner, shown.status.shows(sameAs: winner.status) { return nil }
        return announce(winner.status.fragment, of: winner, on: .subscriptionStatus)
    }

    /// True when the element may show something that no longer holds: about the contract that speaks for the user, or
    /// about another one, whose `success` it showed.
    private var isNews: Bool {
        if !shows(before.winner, sameAs: after.winner) { return true }
        let kept = after.contracts.byKey
        return before.contracts.filter(\.status.isActive).contains { other in
            // A contract may continue under another id.
            !shows(other, sameAs: kept[other.contract] ?? after.contracts.first { $0.replaces == other.contract })
        }
    }

    private func shows(_ left: HeldContract?, sameAs right: HeldContract?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        return left.status.shows(sameAs: right.status)
    }
}

extension HeldContract {
    /// True when this purchase has just come into effect: somebody is waiting to see it, whatever else the user holds.
    fileprivate func hasBegun(since previous: HeldContract?) -> Bool {
        guard status.isActive else { return false }
        guard let previous, previous.status.isActive else { return true }
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
