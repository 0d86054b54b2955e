/// A user who lost contracts at one store, or an id that the store made up for a user.
public struct TransferSource: Hashable, Sendable {
    public var user: UserID
    public var provider: Provider
    public var environment: StoreEnvironment
    /// True for the users to whom a made-up id belongs, false for those to whom contracts were transferred.
    public var isAlias: Bool

    public init(user: UserID, provider: Provider, environment: StoreEnvironment, isAlias: Bool = false) {
        self.user = user
        self.provider = provider
        self.environment = environment
        self.isAlias = isAlias
    }
}

extension TransferSource {
    /// The user at the store of a contract.
    init(_ user: UserID, at key: ContractKey, isAlias: Bool = false) {
        self.init(user: user, provider: key.provider, environment: key.environment, isAlias: isAlias)
    }
}

/// The user who received a user's contracts, and the date that the store gives for it.
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

    /// True if a statement about the same user that is not newer is already there.
    func states(_ target: TransferTarget) -> Bool {
        contains { $0.user == target.user && $0.at <= target.at }
    }

    /// The user who was named last for the first time: events repeat the others for years.
    var newestUser: TransferTarget? {
        var firsts: [UserID: TransferTarget] = [:]
        for target in self { firsts[target.user] = Swift.min(firsts[target.user] ?? target, target) }
        return firsts.values.max()
    }

    /// Returns false if it is already there.
    mutating func insert(_ target: TransferTarget) -> Bool {
        let index = boundary { !($0 < target) }
        guard index == endIndex || self[index] != target else { return false }
        insert(target, at: index)
        return true
    }

    /// The first element that is reached, or the end. If one is reached, so are all that follow it.
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
