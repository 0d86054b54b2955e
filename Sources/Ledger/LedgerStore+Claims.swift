internal import Domain

/// What is remembered of one user's claims on one contract: of those that were granted the first and the last one,
/// because by every policy the others change nothing.
struct ClaimRow {
    var user: String
    var facts: [Ownership.Fact]
    /// The newest proof that he has shown: an older one moves nothing any more.
    var proofAt: Instant
}

extension LedgerStore {
    func claims(on id: Int64) throws(SQLiteError) -> [ClaimRow] {
        try statements.claims.all([.integer(id)]) { row in
            let user = row.text(0)
            let facts = [Int32(1), 3].compactMap { column in
                row.optionalInstant(column).map {
                    Ownership.Fact(user: user, at: $0, ground: .claim(whileActive: row.flag(column + 1)))
                }
            }
            return ClaimRow(user: user, facts: facts, proofAt: row.instant(5))
        }
    }

    /// What a claim makes of a contract, by the policy; a refusal is final, and the same proof does not move a
    /// contract twice, so that two users' apps do not take it from each other at every start.
    ///
    /// `row` is saved already and carries its users as they are without the claim; they are changed in it.
    func settle(
        _ claim: Claim,
        of observation: Observation,
        on row: inout ContractRow,
        _ arrival: Arrival
    ) throws(SQLiteError) -> ClaimOutcome {
        guard let id = row.id else { return .refused }
        let proofAt = observation.transaction?.signedAt ?? arrival.event.signedAt
        let known = try claims(on: id).first { $0.user == claim.user }
        let isHeld = row.holders.contains(claim.user)
        if let known, proofAt <= known.proofAt { return isHeld ? .granted : .refused }
        let made = Ownership.Fact(
            user: claim.user,
            at: arrival.receivedAt,
            ground: .claim(whileActive: row.standing.isActive)
        )
        if row.contract.storeUser != nil {
            try put(claim.user, nil, proofAt, on: id)
            return isHeld ? .granted : .refused
        }
        if isHeld, row.userAt != nil {
            // It counts all the same: what is still to arrive may show that he would have needed it. Where access
            // decides, it must not take the place of the claim that was granted when there was none.
            try put(claim.user, policy.transfers == .transferIfInactive ? nil : made, proofAt, on: id)
            try bind(claim, to: row, arrival)
            return .granted
        }
        let before = row.holders
        let oldest = Instant(milliseconds: 0)
        let inherited = (row.userAt == nil ? before : []).map {
            Ownership.Fact(user: $0, at: oldest, ground: .claim(whileActive: false))
        }
        let owned = Ownership(try facts(of: row) + [made] + inherited, policy: policy.transfers)
        guard owned?.users.contains(claim.user) == true else {
            try put(claim.user, nil, proofAt, on: id)
            return .refused
        }
        for fact in inherited where fact.user != claim.user { try put(fact.user, fact, oldest, on: id) }
        try put(claim.user, made, proofAt, on: id)
        try bind(claim, to: row, arrival)
        try own(&row)
        if before.isEmpty || before.contains(claim.user) { return .granted }
        return row.holders.contains(where: before.contains) ? .shared : .moved
    }

    /// `fact` is nil when nothing was granted by it.
    private func put(_ user: String, _ fact: Ownership.Fact?, _ proofAt: Instant, on id: Int64) throws(SQLiteError) {
        let wasActive = fact?.ground == .claim(whileActive: true)
        try statements.putClaim.run([
            .integer(id), .text(user), Value(fact?.at), Value(wasActive), Value(proofAt),
        ])
    }

    /// The claimant's order is the contract's from now on: the store is asked to repeat its token, where it can.
    private func bind(_ claim: Claim, to row: ContractRow, _ arrival: Arrival) throws(SQLiteError) {
        guard let id = row.id, let token = claim.order, let order = try order(token), order.user == claim.user,
            !order.contradicts(row.contract)
        else { return }
        try statements.putToken.run([.integer(id), .text(token.description), Value(arrival.receivedAt)])
        let key = row.contract.key
        guard key.provider == .apple, policy.reconciled.contains(.apple), row.contract.token == nil,
            !row.contract.isFamilyShared
        else { return }
        let errand = Errand(
            kind: .setToken,
            provider: key.provider,
            environment: key.environment,
            app: key.app,
            subject: key.lineage,
            detail: token.description
        )
        try queue([errand], position: nil, at: arrival.now)
    }
}
