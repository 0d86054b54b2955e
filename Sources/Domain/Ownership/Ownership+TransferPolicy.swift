extension Ownership {
    /// How many users can share a contract. There is a limit because each of them is told about every change.
    private static let shareLimit = 100

    /// Nil when there are no facts.
    ///
    /// A purchase is the stronger proof: even under `transfer_if_inactive`, users who paid hold what they paid for.
    /// Under `keep`, the contract still stays with its first user, because the store's statements keep describing that
    /// user's contract.
    public init?(_ facts: [Fact], policy: TransferPolicy) {
        let ordered = facts.sorted { $0.precedes($1) }
        guard let first = ordered.first else { return nil }
        users = [first.user]
        since = first.at
        for fact in ordered.dropFirst() where !users.contains(fact.user) {
            switch policy {
            case .share where users.count < Ownership.shareLimit: users.append(fact.user)
            case .share: continue
            case .keep: continue
            case .transferIfInactive where fact.ground == .claim(whileActive: true): continue
            case .transfer, .transferIfInactive: (users, since) = ([fact.user], fact.at)
            }
        }
    }
}

extension Ownership.Fact {
    fileprivate func precedes(_ other: Self) -> Bool {
        guard at == other.at else { return at < other.at }
        guard ground == other.ground else { return ground.rank < other.ground.rank }
        return user < other.user
    }
}

extension Ownership.Fact.Ground {
    /// Orders facts of the same moment by kind, so that their order of arrival decides nothing.
    fileprivate var rank: Int {
        switch self {
        case .purchase: 0
        case .claim(whileActive: false): 1
        case .claim(whileActive: true): 2
        }
    }
}
