/// A contract as the ledger tracks it: the stores' statements about it, its holders, and the status that the last
/// commit announced.
public struct TrackedContract: Sendable, Equatable {
    public var contract: Contract
    /// The owner; `shares` are the others who hold the contract.
    public var user: UserID?
    /// The time since which the owner has had it; nil if the owner follows only from another contract.
    public var userAt: Instant?
    public var shares: [UserID] = []
    /// The first user whose app posted it of its own accord. It is that user's as long as nothing else says whose it is.
    public var unasked: Ownership.Fact?
    public var status: ContractStatus
    /// The time at which the writer checks the contract again by itself.
    public var endsAt: Instant?
    /// Whether somebody waits for the catalog to say what its product opens. `UnitOfWork.save` decides it.
    public var isUnlisted = false

    public init(contract: Contract, status: ContractStatus, endsAt: Instant?) {
        self.contract = contract
        self.status = status
        self.endsAt = endsAt
    }

    public var key: ContractKey { contract.key }

    /// True once the contract has taken the place of the one that it names.
    var continuesAnother: Bool { contract.previousLineage != nil && contract.hasBegun && status.state != .pending }

    /// Whether somebody whom nobody knows has bought it. A refund may name no product (Stripe): as long as no purchase is told,
    /// there is nothing to claim.
    var isUnclaimed: Bool { user == nil && (contract.kind == .subscription || !status.product.isEmpty) }

    /// Everyone who holds the contract, the owner first.
    public var holders: [UserID] { (user.map { [$0] } ?? []) + shares }

    public func heldContract(_ catalog: Catalog) -> HeldContract {
        HeldContract(of: contract, status: status, catalog: catalog)
    }

    /// What a user gets who claims it, if nothing moves.
    func outcome(for user: UserID) -> ClaimOutcome {
        holders.isEmpty ? .nobody : holders.contains(user) ? .granted : .untouched
    }

    public mutating func recomputeStatus(at now: Instant, policy: AccessPolicy) {
        status = contract.status(at: now, policy: policy) ?? status
        endsAt = contract.end(of: status, policy: policy)
    }
}

extension TrackedContract {
    /// True if contracts whose users follow from this one's may have other users than they would with `other`.
    func isRelatedOtherwise(than other: TrackedContract) -> Bool {
        hasDifferentHolders(than: other) || contract.identities != other.contract.identities
    }

    /// True if its holders differ from those of `other`, or have held it since another time.
    func hasDifferentHolders(than other: TrackedContract) -> Bool {
        holders != other.holders || userAt != other.userAt
    }

    /// True if the newest statement carried the same token. The present statement is not older, so it adds nothing
    /// unless it is a new purchase.
    func repeats(_ said: StatedToken) -> Bool {
        guard said.dates.last == nil, let token = contract.token else { return false }
        return token.value == said.token && token.signedAt <= said.dates.first
    }
}

extension Contract {
    /// The values by which contracts that follow from this one are found.
    fileprivate var identities: [String?] { [account?.value, previousLineage?.value] }

    /// True if the two may have different owners. Tokens are separate facts, but among equally old ones the newest
    /// statement's counts.
    func mayHaveOtherOwner(than other: Contract) -> Bool {
        token?.value != other.token?.value || storeUser != other.storeUser || identities != other.identities
            || group?.value != other.group?.value || kind != other.kind
    }
}

/// A contract before and after a command, and the reason for the change, as far as pages show it.
struct ContractChange {
    var previous: TrackedContract?
    var current: TrackedContract
    var kind: EventKind?
    /// The store's own name for the reason.
    var reason: String?
    /// True if the contract was bought together with another one, whose entry stands for both.
    var isBeside = false
    /// What has become of a charge of it.
    var charge: NoticedCharge?

    var key: ContractKey { current.key }

    /// Everyone whose page the change concerns; users who lost the contract come first.
    var users: [UserID] {
        let lost = (previous?.holders ?? []).filter { !current.holders.contains($0) }
        return lost + current.holders
    }

    /// The name of the change when no event carries it.
    var moveKind: EventKind { previous?.user == nil ? .orderClaimed : .contractTransferred }

    /// The change in the number of purchases without a user.
    var unclaimed: Int { (current.isUnclaimed ? 1 : 0) - (previous?.isUnclaimed == true ? 1 : 0) }
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
        charge = change.charge
    }
}

extension UnitOfWork {
    /// Ends the access of a contract whose time has come, even if it came while the server was down.
    public mutating func endAccess(of key: ContractKey) throws {
        guard let known = try ledger.contract(key) else { return }
        var ended = known
        ended.recomputeStatus(at: now, policy: policy)
        // Its statements will not change the answer: checking again at once would never end.
        if let end = ended.endsAt, end <= now { ended.endsAt = nil }
        try save(ended)
        // The leeway or the catalog has changed since `endsAt` was written, and the access has not ended after all.
        guard ended.status != known.status else { return }
        try append(ContractChange(previous: known, current: ended), as: .accessEnded)
    }
}
