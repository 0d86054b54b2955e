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
    public var user: UserID
    public var first: Ownership.Fact?
    public var last: Ownership.Fact?
    /// The date of the newest proof that the claimant has shown. An older proof no longer moves anything.
    public var proofAt: Instant
    /// When a claim was refused last, unless one was granted since.
    public var refusedAt: Instant?

    public init(
        user: UserID,
        first: Ownership.Fact?,
        last: Ownership.Fact?,
        proofAt: Instant,
        refusedAt: Instant? = nil
    ) {
        self.user = user
        self.first = first
        self.last = last
        self.proofAt = proofAt
        self.refusedAt = refusedAt
    }

    var facts: [Ownership.Fact] { [first, last].compactMap { $0 } }
}

extension OwnershipFacts {
    mutating func add(_ note: ClaimDecision.Note) {
        guard let index = claims.firstIndex(where: { $0.user == note.user }) else {
            var claim = ClaimHistory(user: note.user, first: note.fact, last: note.fact, proofAt: note.proofAt)
            claim.refusedAt = note.refusedAt
            claims.append(claim)
            return
        }
        claims[index].proofAt = note.proofAt
        claims[index].refusedAt = note.refusedAt
        guard let granted = note.fact else { return }
        claims[index].first = claims[index].first ?? granted
        claims[index].last = granted
    }
}
