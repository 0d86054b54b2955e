/// Who owns a contract: a function of facts, never of the order in which they arrived.
public struct Ownership: Sendable, Equatable {
    /// One reason why a user holds a contract.
    public struct Fact: Sendable, Equatable {
        public enum Ground: Sendable, Equatable {
            /// The store echoed the token of the user's order. The fact has the date of the charge that was bought with
            /// it. A user who buys again adds a new fact; renewals repeat the token and are not purchases.
            case purchase
            /// The user posted a genuine transaction while signed in. `whileActive` says whether it gave access then.
            case claim(whileActive: Bool)
        }

        public var user: UserID
        public var at: Instant
        public var ground: Ground

        public init(user: UserID, at: Instant, ground: Ground) {
            self.user = user
            self.at = at
            self.ground = ground
        }
    }

    /// The first user owns the contract; there are others only under the policy `share`.
    public var users: [UserID]
    /// Since when the first user has owned it.
    public var since: Instant
}

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
