internal import Domain

/// The fragments that announce a change to pages.
extension UnitOfWork {
    /// The fragments for the pages of everyone who holds the contract, or has lost it by this change. `active` tells
    /// whether its user has access afterwards; nil without a user.
    func announce(_ change: ContractChange) throws(Missing) -> (fragments: [Fragment], active: Bool?) {
        try demand(change.users.flatMap { [Need.contracts(.held(by: $0)), .language(of: $0)] })
        var fragments: [Fragment] = []
        var active: Bool?
        for user in change.users {
            let page = try page(of: user, change: change)
            fragments += page.fragments
            if user == change.current.user { active = page.active }
        }
        return (fragments, active)
    }

    /// Appends a separate entry for a change that no event carries.
    mutating func append(_ change: ContractChange, as kind: EventKind) throws(Missing) {
        var change = change
        change.kind = kind
        let (fragments, active) = try announce(change)
        _ = try append(Notice(kind: kind, change: change, active: active), fragments: fragments)
        changes.unclaimed += change.unclaimed
    }

    private func page(
        of user: UserID,
        change: ContractChange
    ) throws(Missing) -> (fragments: [Fragment], active: Bool) {
        let others = try entitlements(of: user, except: change.key)
        let had = change.previous.flatMap { $0.holders.contains(user) ? [$0.heldContract(policy.catalog)] : nil } ?? []
        let has = change.current.holders.contains(user) ? [change.current.heldContract(policy.catalog)] : []
        let before = EntitlementSet(user: user, held: others + had, policy: policy)
        let after = EntitlementSet(user: user, held: others + has, policy: policy)
        let announcements = Announcement.announcements(
            before: before,
            after: after,
            contract: change.key,
            isBeside: change.isBeside
        )
        return (self.fragments(announcements, for: user, because: change), after.isActive)
    }

    /// The contracts that a user holds, except consumables, as the last commit announced them.
    func entitlements(of user: UserID, except key: ContractKey?) throws(Missing) -> [HeldContract] {
        try contracts(.held(by: user)).filter { $0.key != key }.map { $0.heldContract(policy.catalog) }
    }

    func fragments(
        _ announcements: [Announcement],
        for user: UserID,
        because change: ContractChange? = nil
    ) -> [Fragment] {
        guard let stream = streams.stream(for: user) else { return [] }
        return announcements.map {
            // The fragment may show another contract, which was there before.
            let cause = $0.heldContract.contract == change?.key ? change : nil
            let values = $0.heldContract.templateValues(user: user, event: cause?.kind, reason: cause?.reason)
            return Fragment(
                stream: stream,
                action: "replace",
                target: $0.target.rawValue,
                content: .template(name: $0.name.rawValue, values: values)
            )
        }
    }
}
