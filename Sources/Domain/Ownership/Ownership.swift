/// Who owns a contract: a function of facts, never of the order in which they arrived.
public struct Ownership: Sendable, Equatable {
    /// One reason why a user holds a contract.
    public struct Fact: Sendable, Equatable {
        public enum Ground: Sendable, Equatable {
            /// The store echoed the token of the user's order. The fact has the date of the charge that was bought with
            /// it. A user who buys again adds a new fact; renewals repeat the token and are not purchases.
            case purchase
            /// The user asked for it, and showed a genuine transaction. `whileActive` says whether it gave access then.
            case claim(whileActive: Bool)
            /// The user's app posted a genuine transaction, and nobody had asked for it. It counts for what has no owner.
            case unasked
        }

        public var user: UserID
        public var at: Instant
        public var ground: Ground

        public static func claim(by user: UserID, at: Instant, whileActive isActive: Bool) -> Fact {
            Fact(user: user, at: at, ground: .claim(whileActive: isActive))
        }

        public static func unasked(by user: UserID, at: Instant) -> Fact {
            Fact(user: user, at: at, ground: .unasked)
        }
    }

    /// The first user owns the contract; there are others only under the policy `share`.
    public var users: [UserID]
    /// Since when the first user has owned it; nil if the users follow from another contract.
    public var since: Instant?
}

extension Ownership {
    /// How many users can share a contract. There is a limit because each of them is told about every change.
    private static let shareLimit = 100

    /// Nil when nobody has bought it or asked for it.
    ///
    /// A purchase is the stronger proof: even under `transfer_if_inactive`, users who paid hold what they paid for.
    /// Under `keep`, the contract still stays with its first user, because the store's statements keep describing that
    /// user's contract.
    ///
    /// Who had it without asking had it before it was asked for, and the policy decides between the two. A purchase decides
    /// alone: what an app posted of its own accord was never that user's.
    public init?(_ facts: [Fact], policy: TransferPolicy) {
        var ordered = facts.filter { $0.ground != .unasked }.sorted { $0.precedes($1) }
        guard let asked = ordered.first else { return nil }
        if !ordered.contains(where: { $0.ground == .purchase }), let found = Ownership.firstUnasked(facts),
            found.at < asked.at
        {
            ordered.insert(found, at: 0)
        }
        let first = ordered[0]
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

    /// The one that counts while nothing else does.
    static func firstUnasked(_ facts: [Fact]) -> Fact? {
        facts.filter { $0.ground == .unasked }.min { $0.precedes($1) }
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
        case .unasked: 3
        }
    }
}

/// A user who posts a genuine transaction while signed in has a reason to hold the contract.
public struct Claim: Sendable, Equatable {
    public var user: UserID
    /// The order that the app sends along with the claim.
    public var order: OrderToken?
    /// True when the app's backend names the user. Of an erased user, nothing else counts: a page or a phone may still
    /// hold the name of the user's stream.
    public var isVouched: Bool
    /// True if the user asked for it. Without that, nobody loses anything by it, whatever the policy says: the user gets
    /// what has no owner.
    public var isAsked: Bool
    /// True for what the user has had for long, and is brought here from another system: nobody thanks the user for it or tells
    /// the backend, which hands nothing out again, and nobody who was erased comes back by it.
    public var isImported: Bool
    /// Where the post came from; it stays with the purchase's order.
    public var trace: TraceID?

    public init(
        user: UserID,
        order: OrderToken? = nil,
        isVouched: Bool = true,
        isAsked: Bool = true,
        isImported: Bool = false,
        trace: TraceID? = nil
    ) {
        self.user = user
        self.order = order
        self.isAsked = isAsked
        self.isImported = isImported
        self.isVouched = isVouched
        self.trace = trace
    }
}

/// The result of a claim.
public enum ClaimOutcome: Sendable {
    /// The contract is the claimant's: nobody else held it, or the claimant already did.
    case granted
    /// The contract moved to the claimant; it was another user's until now.
    case moved
    /// Another user holds the contract as well.
    case shared
    /// The contract stays another user's, although the claimant asked for it; the event was committed all the same.
    case refused
    /// The contract is another user's, and the claimant did not ask for it.
    case untouched
    /// Nobody has it: the event contradicts its order, or is of an erased user.
    case nobody

    /// Who has the purchase now. The names stand in answers.
    public enum Holder: String, CaseIterable, Sendable { case yours, others, nobody }

    public var holder: Holder {
        switch self {
        case .granted, .moved, .shared: .yours
        case .refused, .untouched: .others
        case .nobody: .nobody
        }
    }
}

/// A store's statement that users lose all their contracts at that store, and that another user gains them.
public struct Transfer: Sendable, Equatable {
    public var from: [UserID]
    public var to: UserID
    /// True when the store did not say in which environment: everything that the users hold in both moves.
    public var isEverywhere: Bool
    /// True when `from` are ids that the store made up for this user. What was bought under them is the user's,
    /// whenever it was bought, until another user is named. An event may say so beside what it says about a contract.
    public var isAlias: Bool

    public init(from: [UserID], to: UserID, isEverywhere: Bool = false, isAlias: Bool = false) {
        self.from = from
        self.to = to
        self.isEverywhere = isEverywhere
        self.isAlias = isAlias
    }
}

/// What happens to a contract when a user who does not own it asks for it with a genuine transaction. The words are
/// RevenueCat's (https://www.revenuecat.com/docs/projects/restore-behavior).
public enum TransferPolicy: String, CaseIterable, Sendable {
    /// It belongs to the claimant from now on.
    case transfer
    /// Like `transfer`, unless its owner still has access through it.
    case transferIfInactive = "transfer_if_inactive"
    /// It stays with its owner.
    case keep
    /// Both users hold it.
    case share
}
