public import Domain

/// Everything that is known about a user now. `UserEvents` has the history.
public struct UserRecord: Sendable, Equatable {
    public var locale: UserLocale
    /// Each entitlement of the catalog, the main one first.
    public var entitlements: [Entitlement]
    /// In the order of `UserEntitlements`.
    public var contracts: [ContractRecord]
    /// What the user pays for more than once; nil for nothing.
    public var doublePayment: DoublePayment?
    /// The purchases that the user asked for and did not get, newest first: at most 20.
    public var refusals: [RefusedClaim]
    /// What stores ask about refunds of the user's purchases, the most urgent first: at most 20.
    public var refunds: [RefundQuestion]
    /// The newest 100, newest first.
    public var orders: [OrderRecord]
    /// The newest position when it was read.
    public var head: Cursor

    /// Whether the main entitlement gives access now.
    public var isActive: Bool { entitlements.first?.isActive ?? false }
}

/// One contract with all who hold it, and what it gives the user.
public struct ContractRecord: Sendable, Equatable {
    public var summary: ContractSummary
    public var tracked: TrackedContract
}

/// A user asked for a purchase with a genuine transaction, and it stayed with whoever had it.
public struct RefusedClaim: Sendable, Equatable {
    public var at: Instant
    public var contract: ContractKey
    public var product: String
    /// Nil once nobody has it.
    public var owner: UserID?
}

/// What a user may use, because of which contracts, and the cursor to resume from.
public struct UserEntitlements: Sendable, Equatable {
    /// Each entitlement of the catalog, the main one first.
    public var entitlements: [Entitlement]
    /// The contracts that speak for the user come first; those that the policy does not honor come last. Only the newest
    /// 100 consumables are listed.
    public var contracts: [ContractSummary]
    public var since: Cursor

    /// Whether the main entitlement gives access now.
    public var isActive: Bool { entitlements.first?.isActive ?? false }
}

extension LedgerQueries {
    /// Of all users whose pages were ended, with the last time.
    public func endedPages() throws(EngineError) -> EndedUsers {
        let ended = EndedUsers(key: erasureKey)
        _ = try sql("SELECT digest, position FROM ended_pages").all { row in ended.note(row.text(), at: row.integer()) }
        return ended
    }

    /// Where the user's pages were ended last; 0 if they never were. Whoever signs a name asks for it here, as of the position
    /// from which the page resumes: what another node has committed reaches this one's memory a moment later.
    public func ending(of user: UserID) throws(EngineError) -> Int64 {
        try sql.ending(erasureKey.digest(of: .user(user)))
    }

    private static let usualLimit = 100

    public func entitlements(of user: UserID) throws(EngineError) -> UserEntitlements {
        let held = try held(by: user, limit: LedgerQueries.usualLimit, now: now)
        return UserEntitlements(
            entitlements: held.set.entitlements,
            contracts: held.ranked.map(\.summary),
            since: try head()
        )
    }

    /// `isWhole` asks for every order and consumable instead of the newest 100 of each.
    public func record(of user: UserID, isWhole: Bool = false) throws(EngineError) -> UserRecord {
        let now = now
        let head = try head()
        let limit = isWhole ? .max : LedgerQueries.usualLimit
        let held = try held(by: user, limit: limit, now: now)
        var contracts: [ContractRecord] = []
        for (row, summary) in held.ranked {
            var record = ContractRecord(summary: summary, tracked: row.tracked)
            if row.isShared { record.tracked.shares = try sql.shares(of: row.id) }
            contracts.append(record)
        }
        let orders = try orders(of: user, limit: limit, now: now)
        return UserRecord(
            locale: try locale(of: user),
            entitlements: held.set.entitlements,
            contracts: contracts,
            doublePayment: held.set.doublePayment,
            refusals: try refusals(of: user),
            refunds: try refundQuestions(of: user),
            orders: orders,
            head: head
        )
    }

    private func refusals(of user: UserID) throws(EngineError) -> [RefusedClaim] {
        let claims = try sql(
            """
            SELECT contract, refused_at FROM claims
            WHERE user = ? AND refused_at IS NOT NULL ORDER BY refused_at DESC, contract DESC LIMIT 20
            """
        ).all([Value(user)]) { row in (contract: row.integer(), at: row.instant()) }
        var refusals: [RefusedClaim] = []
        for claim in claims {
            guard let row = try sql.contract(claim.contract), row.tracked.user != user else { continue }
            let shares = row.isShared ? try sql.shares(of: row.id) : []
            guard !shares.contains(user) else { continue }
            let (contract, owner) = (row.tracked.key, row.tracked.user)
            let product = row.tracked.status.product
            refusals.append(RefusedClaim(at: claim.at, contract: contract, product: product, owner: owner))
        }
        return refusals
    }

    /// The state now, not at the last commit: the timer that ends access may be a millisecond late. The contracts that
    /// speak for the user come first; those that the policy does not honor come last.
    private func held(
        by user: UserID,
        limit: Int,
        now: Instant
    ) throws(EngineError) -> (set: EntitlementSet, ranked: [(row: ContractRow, summary: ContractSummary)]) {
        let consumables: [Value] = [Value(user), .integer(Int64(limit))]
        let rows =
            try sql.contracts(heldBy: user)
            + sql.contracts(where: "user = ? AND kind = 'consumable' ORDER BY id DESC LIMIT ?", consumables)
            + sql.contracts(
                where:
                    "id IN (SELECT contract FROM shares WHERE user = ?) AND kind = 'consumable' ORDER BY id DESC LIMIT ?",
                consumables
            )
        let current = rows.map { row in
            var row = row
            row.tracked.recomputeStatus(at: now, policy: policy)
            return row
        }
        let union = EntitlementSet(
            user: user,
            held: current.map { $0.tracked.heldContract(policy.catalog) },
            policy: policy
        )
        let ranks = Dictionary(union.ranked.enumerated().map { ($1.contract, $0) }) { first, _ in first }
        let ordered = current.enumerated().sorted { left, right in
            let a = ranks[left.element.tracked.key]
            let b = ranks[right.element.tracked.key]
            return (a ?? .max, left.offset) < (b ?? .max, right.offset)
        }
        let ranked = ordered.map { _, row in
            let isHonoured = ranks[row.tracked.key] != nil
            return (row: row, summary: row.tracked.heldContract(policy.catalog).summary(isHonoured: isHonoured))
        }
        return (union, ranked)
    }
}
