extension UnitOfWork {
    /// Applies a claim to a contract that is already saved and has the users that follow without the claim; it changes
    /// them in `tracked`, which the caller saves.
    mutating func apply(
        _ claim: Claim,
        of observation: Observation,
        on tracked: inout TrackedContract,
        incoming: IncomingEvent
    ) throws -> ClaimOutcome {
        guard try !isVoid(claim) else { return .refused }
        try lift([.user(claim.user)])
        let proof = ClaimDecision.Proof(
            user: claim.user,
            postedAt: incoming.receivedAt,
            signedAt: observation.transaction?.signedAt ?? incoming.event.signedAt
        )
        let target = ClaimDecision.Target(
            holders: tracked.holders,
            isDerived: tracked.userAt == nil,
            isNamedByStore: tracked.contract.storeUser != nil,
            isActive: tracked.status.isActive,
            facts: try ownershipFacts(of: tracked)
        )
        let last = try facts(of: tracked.key).claims.first { $0.user == claim.user }?.proofAt
        let decision = ClaimDecision(of: proof, after: last, on: target, policy: policy.transfers)
        guard !decision.notes.isEmpty else { return decision.outcome }
        for note in decision.notes { try add(note, to: tracked.key) }
        if decision.isBinding { try bind(claim, to: tracked.contract, incoming: incoming) }
        try resolveOwner(of: &tracked)
        return decision.outcome
    }

    /// Makes the claimant's order the contract's from now on, and asks the store to repeat its token if the store can.
    private mutating func bind(_ claim: Claim, to contract: Contract, incoming: IncomingEvent) throws {
        guard let token = claim.order, let order = try order(token), order.user == claim.user,
            !order.contradicts(contract)
        else { return }
        let key = contract.key
        _ = try add(token, dates: TokenDates(first: incoming.receivedAt, last: nil), to: key)
        guard key.provider.takesOrderTokens, policy.apis.contains(key.provider), contract.token == nil,
            !contract.isFamilyShared
        else { return }
        let job = Job(
            kind: .setToken,
            provider: key.provider,
            environment: key.environment,
            app: key.app,
            subject: key.lineage,
            detail: token.description
        )
        queue([job], position: nil)
    }
}
