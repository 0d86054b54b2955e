public import Domain

/// Something that a decision depends on, and that the ledger may have.
public enum Need: Hashable, Sendable {
    /// Where an event was committed first.
    case event(EventKey)
    /// The position of the newest event that is filed under a contract.
    case newestEvent(of: ContractKey)
    case contract(ContractKey)
    /// A list of contracts, with the contracts.
    case contracts(ContractIndex)
    case facts(of: ContractKey)
    case order(OrderToken)
    /// The first order that was made by the same request.
    case orderLike(OrderRequest)
    /// What a store has said about a user who lost everything to others.
    case transfers(TransferSource)
    case language(of: UserID)
    /// Which of these belonged to an erased user.
    case tombstones(of: [ErasedIdentity])
    /// What an erasure has to look at.
    case possessions(of: UserID)
}

/// A user who lost contracts at one store.
public struct TransferSource: Hashable, Sendable {
    public var user: UserID
    public var provider: Provider
    public var environment: StoreEnvironment

    public init(user: UserID, provider: Provider, environment: StoreEnvironment) {
        self.user = user
        self.provider = provider
        self.environment = environment
    }
}

extension TransferSource {
    /// The user at the store of a contract.
    init(_ user: UserID, at key: ContractKey) {
        self.init(user: user, provider: key.provider, environment: key.environment)
    }
}

/// Where the contracts of a user went, and when the store says it happened.
public struct TransferTarget: Hashable, Sendable {
    public var at: Instant
    public var user: UserID

    public init(at: Instant, user: UserID) {
        self.at = at
        self.user = user
    }
}

extension TransferTarget: Comparable {
    public static func < (left: TransferTarget, right: TransferTarget) -> Bool {
        (left.at, left.user) < (right.at, right.user)
    }
}

/// The targets of one source, in their order.
extension [TransferTarget] {
    func first(since instant: Instant) -> TransferTarget? {
        let index = boundary { $0.at >= instant }
        return index < endIndex ? self[index] : nil
    }

    /// Returns false when it is there already.
    mutating func insert(_ target: TransferTarget) -> Bool {
        let index = boundary { !($0 < target) }
        guard index == endIndex || self[index] != target else { return false }
        insert(target, at: index)
        return true
    }

    /// The first that is reached, or the end. What is true of one is true of all that follow it.
    private func boundary(isReached: (TransferTarget) -> Bool) -> Int {
        var lower = startIndex
        var upper = endIndex
        while lower < upper {
            let middle = (lower + upper) / 2
            if isReached(self[middle]) { upper = middle } else { lower = middle + 1 }
        }
        return lower
    }
}
