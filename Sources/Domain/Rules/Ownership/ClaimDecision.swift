/// Decides what a claim does to a contract under the policy, if the user asked for it. A refusal is final, and the same proof does not move a
/// contract twice, so that two users' apps do not take it from each other at every launch.
struct ClaimDecision: Equatable {
    /// The record of one user: the newest proof that the user has shown, and what it granted.
    struct Note: Equatable {
        var user: UserID
        var fact: Ownership.Fact?
        var proofAt: Instant
        /// When it was posted, if it was refused.
        var refusedAt: Instant?
    }

    var outcome: ClaimOutcome
    var notes: [Note] = []
    /// The post of which the contract's holder had it until now, if nobody had asked for it.
    var unasked: Ownership.Fact?
    /// True if the claimant's order becomes the contract's.
    var isBinding = false

    /// `proof` dates a genuine transaction that the user shows, and `last` the newest that the user has shown before. The
    /// contract has the holders and the facts that it has without this claim. Holders without a fact of the contract's own
    /// have it because of `inherited`.
    init(
        by user: UserID,
        proof: (postedAt: Instant, signedAt: Instant),
        after last: Instant?,
        on known: TrackedContract,
        facts: [Ownership.Fact],
        inherited: [Ownership.Fact],
        policy: TransferPolicy
    ) {
        let holders = known.holders
        let isDerived = known.userAt == nil
        let isHeld = holders.contains(user)
        outcome = isHeld ? .granted : .refused
        let refusedAt = isHeld ? nil : proof.postedAt
        if let last, proof.signedAt <= last {
            if !isHeld { notes = [Note(user: user, proofAt: last, refusedAt: refusedAt)] }
            return
        }
        notes = [Note(user: user, proofAt: proof.signedAt, refusedAt: refusedAt)]
        // The store itself names the owner.
        if known.contract.storeUser != nil { return }
        let made = Ownership.Fact.claim(by: user, at: proof.postedAt, whileActive: known.status.isActive)
        if isHeld, !isDerived {
            // The claim counts all the same: events that have not arrived yet may show that the claimant needed it.
            // Where access decides (`transfer_if_inactive`), it must not replace the claim that was granted when there
            // was no access.
            notes[0].fact = policy == .transferIfInactive ? nil : made
            isBinding = true
            return
        }
        let owned = Ownership(facts + [made] + inherited, policy: policy)
        guard let users = owned?.users, users.contains(user) else {
            outcome = .refused
            return
        }
        (notes[0].fact, notes[0].refusedAt) = (made, nil)
        unasked = Ownership.firstUnasked(inherited)
        for fact in inherited where fact.ground != .unasked && fact.user != user {
            notes.append(Note(user: fact.user, fact: fact, proofAt: fact.at))
        }
        isBinding = true
        outcome = .granted
        if !holders.isEmpty, !isHeld { outcome = users.contains(where: holders.contains) ? .shared : .moved }
    }
}

extension UnitOfWork {
    /// Applies a claim to a contract that is already saved and has the users that follow without the claim; it changes
    /// them in `tracked`, which the caller saves.
    mutating func apply(
        _ claim: Claim,
        of observation: Observation,
        on tracked: inout TrackedContract,
        incoming: IncomingEvent
    ) throws -> ClaimOutcome {
        guard try !isVoid(claim) else { return tracked.outcome(for: claim.user) }
        try lift([.user(claim.user)])
        guard claim.isAsked else {
            try noteUnasked(claim, on: &tracked, at: incoming.receivedAt)
            return tracked.outcome(for: claim.user)
        }
        let signedAt = observation.transaction?.signedAt ?? incoming.event.signedAt
        let decision = ClaimDecision(
            by: claim.user,
            proof: (incoming.receivedAt, signedAt),
            after: try ledger.facts(of: tracked.key).claims.first { $0.user == claim.user }?.proofAt,
            on: tracked,
            facts: try ownershipFacts(of: tracked),
            inherited: tracked.userAt == nil ? try following(tracked)?.facts ?? [] : [],
            policy: policy.transfers
        )
        tracked.unasked = decision.unasked ?? tracked.unasked
        guard !decision.notes.isEmpty else { return decision.outcome }
        for note in decision.notes { try add(note, to: tracked.key) }
        if decision.isBinding { try bind(claim, to: tracked.contract, incoming: incoming) }
        try resolveOwner(of: &tracked)
        return decision.outcome
    }

    /// The first one stays, whoever comes later. An order that comes along binds nothing: that would be as good as asking.
    private func noteUnasked(_ claim: Claim, on tracked: inout TrackedContract, at now: Instant) throws {
        guard tracked.unasked == nil else { return }
        tracked.unasked = .unasked(by: claim.user, at: now)
        try resolveOwner(of: &tracked)
    }

    /// Makes the claimant's order the contract's from now on, and asks the store to repeat its token if the store can.
    private mutating func bind(_ claim: Claim, to contract: Contract, incoming: IncomingEvent) throws {
        guard let token = claim.order, let order = try ledger.order(token), order.user == claim.user,
            !order.contradicts(contract)
        else { return }
        let key = contract.key
        _ = try add(token, dates: TokenDates(first: incoming.receivedAt, last: nil), to: key)
        guard key.provider.takesOrderTokens, policy.apis.contains(key.provider), contract.token == nil,
            !contract.isFamilyShared
        else { return }
        let (provider, place) = (key.provider, key.environment)
        var job = Job(kind: .setToken, provider: provider, environment: place, app: key.app, subject: key.lineage)
        job.detail = token.description
        queue([job], position: nil)
    }
}
