/// Tells the app's backend what has changed for a user, in the transaction that changes it.
extension UnitOfWork {
    /// Whether the answer about a user's entitlements says something else than before. False if nobody wants to know.
    func isAnswerChanged(
        from before: EntitlementSet,
        of held: [TrackedContract],
        to after: EntitlementSet,
        of holds: [TrackedContract]
    ) -> Bool {
        guard !policy.hooks.isEmpty else { return false }
        return before.ranked.map { $0.entitlement(isHonoured: true) }
            != after.ranked.map { $0.entitlement(isHonoured: true) }
            || unranked(held, in: before) != unranked(holds, in: after)
    }

    /// The contracts that give no access by the policy are in the answer, too.
    private func unranked(_ held: [TrackedContract], in set: EntitlementSet) -> [ContractKey: Entitlement] {
        let ranked = set.contracts
        let others = held.filter { ranked[$0.key] == nil }
        return Dictionary(
            others.map { ($0.key, $0.heldContract(policy.catalog).entitlement(isHonoured: false)) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    mutating func queueHook(_ type: HookType, about user: UserID, state: EntitlementSet? = nil, entry: Int) {
        guard policy.hooks.contains(where: { $0.types.contains(type) }) else { return }
        let position = changes.entries[entry].entry.position
        changes.hooks.append(HookRecord(type: type, user: user, position: position, state: state))
    }
}
