/// A contract as the ledger tracks it: the stores' statements about it, its holders, and the status that the last
/// commit announced.
public struct TrackedContract: Sendable, Equatable {
    public var contract: Contract
    /// The owner; `shares` are the others who hold the contract.
    public var user: UserID?
    /// The time since which the owner has had it; nil if the owner follows only from another contract.
    public var userAt: Instant?
    public var shares: [UserID] = []
    public var status: ContractStatus
    /// The time at which the writer checks the contract again by itself.
    public var endsAt: Instant?

    public init(contract: Contract, status: ContractStatus, endsAt: Instant?) {
        self.contract = contract
        self.status = status
        self.endsAt = endsAt
    }

    public var key: ContractKey { contract.key }

    /// Everyone who holds the contract, the owner first.
    public var holders: [UserID] { (user.map { [$0] } ?? []) + shares }

    public func heldContract(_ catalog: Catalog) -> HeldContract {
        HeldContract(of: contract, status: status, catalog: catalog)
    }

    public mutating func recomputeStatus(at now: Instant, policy: AccessPolicy) {
        status = contract.status(at: now, policy: policy) ?? status
        endsAt = contract.end(of: status, policy: policy)
    }
}

extension TrackedContract {
    /// True if contracts whose users follow from this one's may have other users than they would with `other`.
    func isRelatedOtherwise(than other: TrackedContract) -> Bool {
        holders != other.holders || userAt != other.userAt || contract.identities != other.contract.identities
    }

    /// True if its holders differ from those of `other`, or have held it since another time.
    func hasDifferentHolders(than other: TrackedContract) -> Bool {
        holders != other.holders || userAt != other.userAt
    }

    /// True if the newest statement carried the same token. The present statement is not older, so it adds nothing
    /// unless it is a new purchase.
    func repeats(_ said: StatedToken) -> Bool {
        guard !said.isPurchase, let token = contract.token else { return false }
        return token.value == said.token && token.signedAt <= said.at
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
