/// A contract before and after a command, and the reason for the change, as far as pages show it.
struct ContractChange {
    var previous: TrackedContract?
    var current: TrackedContract
    var kind: EventKind?
    /// The store's own name for the reason.
    var reason: String?
    /// True if the contract was bought together with another one, whose entry stands for both.
    var isBeside = false

    var key: ContractKey { current.key }

    /// Everyone whose page the change concerns; users who lost the contract come first.
    var users: [UserID] {
        let lost = (previous?.holders ?? []).filter { !current.holders.contains($0) }
        return lost + current.holders
    }

    /// The name of the change when no event carries it.
    var moveKind: EventKind { previous?.user == nil ? .orderClaimed : .contractTransferred }

    /// The change in the number of contracts without a user.
    var unclaimed: Int {
        (current.user == nil ? 1 : 0) - (previous != nil && previous?.user == nil ? 1 : 0)
    }
}

extension Notice {
    /// The facts of a contract's change. Whether its user has access afterwards is told when it is announced.
    init(kind: EventKind, change: ContractChange) {
        self.init(kind: kind)
        let current = change.current
        provider = change.key.provider
        environment = change.key.environment
        contract = change.key.lineage
        order = current.contract.token?.value
        user = current.user
        product = current.status.product
        previousState = change.previous?.status.state
        state = current.status.state
        accessUntil = current.status.accessUntil
    }
}
