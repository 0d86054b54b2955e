/// The facts that decide who owns a contract, besides the contract's own: the order tokens that its charges carried,
/// and the claims of users who posted it.
public struct OwnershipFacts: Sendable, Equatable {
    public var tokens: [OrderToken: TokenDates] = [:]
    /// At most one for each user.
    public var claims: [ClaimHistory] = []

    public init() {}
}

/// The record of one user's claims on one contract: the first and the last that were granted. Under every policy, the
/// claims between them change nothing.
public struct ClaimHistory: Sendable, Equatable {
    /// A granted claim.
    public struct Grant: Sendable, Equatable {
        public var at: Instant
        /// Whether the contract gave access then.
        public var wasActive: Bool

        public init(at: Instant, wasActive: Bool) {
            self.at = at
            self.wasActive = wasActive
        }
    }

    public var user: UserID
    public var first: Grant?
    public var last: Grant?
    /// The date of the newest proof that the claimant has shown. An older proof no longer moves anything.
    public var proofAt: Instant

    public init(user: UserID, first: Grant?, last: Grant?, proofAt: Instant) {
        self.user = user
        self.first = first
        self.last = last
        self.proofAt = proofAt
    }

    var facts: [Ownership.Fact] {
        [first, last].compactMap { $0 }.map {
            Ownership.Fact(user: user, at: $0.at, ground: .claim(whileActive: $0.wasActive))
        }
    }
}

extension OwnershipFacts {
    mutating func add(_ note: ClaimDecision.Note) {
        let granted = note.fact.map {
            ClaimHistory.Grant(at: $0.at, wasActive: $0.ground == .claim(whileActive: true))
        }
        guard let index = claims.firstIndex(where: { $0.user == note.user }) else {
            claims.append(ClaimHistory(user: note.user, first: granted, last: granted, proofAt: note.proofAt))
            return
        }
        claims[index].proofAt = note.proofAt
        guard let granted else { return }
        claims[index].first = claims[index].first ?? granted
        claims[index].last = granted
    }
}
