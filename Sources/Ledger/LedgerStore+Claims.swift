internal import Domain

/// What is remembered of one user's claims on one contract.
struct ClaimRow {
    var user: String
    /// When the newest one was granted; nil when none was, or none was needed.
    var at: Instant?
    var wasActive: Bool
    /// The newest proof that he has shown: an older one moves nothing any more.
    var proofAt: Instant

    var fact: Ownership.Fact? {
        at.map { Ownership.Fact(user: user, at: $0, ground: .claim(whileActive: wasActive)) }
    }
}

extension LedgerStore {
    func claims(on id: Int64) throws(SQLiteError) -> [ClaimRow] {
        try statements.claims.all([.integer(id)]) { row in
            ClaimRow(user: row.text(0), at: row.optionalInstant(1), wasActive: row.flag(2), proofAt: row.instant(3))
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
        var made = ClaimRow(user: claim.user, at: nil, wasActive: row.standing.isActive, proofAt: proofAt)
        let isNamedByStore = row.contract.storeUser != nil
        if isNamedByStore || isHeld && row.userAt != nil {
            try put(made, on: id)
            return isHeld ? .granted : .refused
        }
        let before = row.holders
        let inherited = row.userAt == nil ? before : []
        made.at = arrival.receivedAt
        let oldest = Instant(milliseconds: 0)
        let facts =
            try facts(of: row) + [made].compactMap(\.fact)
            + inherited.map { Ownership.Fact(user: $0, at: oldest, ground: .claim(whileActive: false)) }
        guard let owned = Ownership(facts, policy: policy.transfers), owned.users.contains(claim.user) else {
            made.at = nil
            try put(made, on: id)
            return .refused
        }
        for user in inherited where user != claim.user {
            try put(ClaimRow(user: user, at: oldest, wasActive: false, proofAt: oldest), on: id)
        }
        try put(made, on: id)
        try bind(claim, to: row, arrival)
        try own(&row)
        if before.isEmpty || before.contains(claim.user) { return .granted }
        return row.holders.contains(where: before.contains) ? .shared : .moved
    }

    private func put(_ claim: ClaimRow, on id: Int64) throws(SQLiteError) {
        try statements.putClaim.run([
            .integer(id), .text(claim.user), Value(claim.at), Value(claim.wasActive), Value(claim.proofAt),
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
