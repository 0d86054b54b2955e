internal import Domain

/// What is remembered of one user's claims on one contract: the first and the last one that were granted. Under every
/// policy, the claims between them change nothing.
struct ClaimRow {
    var user: UserID
    var facts: [Ownership.Fact]
    /// The date of the newest proof that the claimant has shown. An older proof no longer moves anything.
    var proofAt: Instant
}

extension LedgerStore {
    func claims(on id: Int64) throws(SQLiteError) -> [ClaimRow] {
        try statements.claims.all([.integer(id)]) { row in
            let user = row.user(0)
            let facts = [Int32(1), 3].compactMap { column in
                row.optionalInstant(column).map {
                    Ownership.Fact(user: user, at: $0, ground: .claim(whileActive: row.flag(column + 1)))
                }
            }
            return ClaimRow(user: user, facts: facts, proofAt: row.instant(5))
        }
    }

    /// Applies a claim to a contract. `row` is already saved, and carries the users that the contract has without the
    /// claim; they are changed in it.
    func apply(
        _ claim: Claim,
        of observation: Observation,
        on row: inout ContractRow,
        _ incoming: IncomingEvent
    ) throws(SQLiteError) -> ClaimOutcome {
        guard let id = row.id else { return .refused }
        let proof = ClaimDecision.Proof(
            user: claim.user,
            postedAt: incoming.receivedAt,
            signedAt: observation.transaction?.signedAt ?? incoming.event.signedAt
        )
        let target = ClaimDecision.Target(
            holders: row.holders,
            isDerived: row.userAt == nil,
            isNamedByStore: row.contract.storeUser != nil,
            isActive: row.status.isActive,
            facts: try facts(of: row)
        )
        let last = try claims(on: id).first { $0.user == claim.user }?.proofAt
        let decision = ClaimDecision(of: proof, after: last, on: target, policy: policy.transfers)
        guard !decision.notes.isEmpty else { return decision.outcome }
        for note in decision.notes { try put(note, on: id) }
        if decision.isBinding { try bind(claim, to: row, incoming) }
        try resolveOwner(of: &row)
        return decision.outcome
    }

    private func put(_ note: ClaimDecision.Note, on id: Int64) throws(SQLiteError) {
        let wasActive = note.fact?.ground == .claim(whileActive: true)
        try statements.putClaim.run([
            .integer(id), Value(note.user), Value(note.fact?.at), Value(wasActive), Value(note.proofAt),
        ])
    }

    /// Makes the claimant's order the contract's from now on, and asks the store to repeat its token where the store
    /// can.
    private func bind(_ claim: Claim, to row: ContractRow, _ incoming: IncomingEvent) throws(SQLiteError) {
        guard let id = row.id, let token = claim.order, let order = try order(token), order.user == claim.user,
            !order.contradicts(row.contract)
        else { return }
        try statements.putToken.run([.integer(id), .text(token.description), Value(incoming.receivedAt), .null])
        let key = row.contract.key
        guard key.provider.takesOrderTokens, policy.apis.contains(key.provider), row.contract.token == nil,
            !row.contract.isFamilyShared
        else { return }
        let job = Job(
            kind: .setToken,
            provider: key.provider,
            environment: key.environment,
            app: key.app,
            subject: key.lineage,
            detail: token.description
        )
        try queue([job], position: nil, at: incoming.now)
    }
}
