import Domain

/// What the writer's decisions read in a transaction: the rules' `LedgerRows`, by SQL.
final class StoredRows {
    private let sql: LedgerSQL
    private let erasureKey: ErasureKey
    /// The rows of the contracts that were read or written in this transaction.
    var ids: [ContractKey: Int64] = [:]
    /// True if the ledger has traces of an erasure; nil until a transaction asks.
    var hasErasures: Bool?

    init(_ sql: LedgerSQL, _ erasureKey: ErasureKey) {
        self.sql = sql
        self.erasureKey = erasureKey
    }

    /// Another transaction begins.
    func forget() {
        ids = [:]
        hasErasures = nil
    }
}

extension StoredRows: LedgerRows {
    func position(of event: EventKey) throws -> Int64? {
        let erased = try knowsErasures() ? erasureKey.digest(of: .event(event)) : event.id
        return try position(of: event, orUnder: erased)
    }

    /// Of an event that is kept under its own id or another one.
    func position(of event: EventKey, orUnder id: String) throws(EngineError) -> Int64? {
        try sql(
            """
            SELECT min(position) FROM \(sql.eventIDs)
            WHERE event IN (?, ?) AND provider = ? AND environment = ?
            """
        ).first([.text(id)] + event.values) { row in row.optionalInteger() } ?? nil
    }

    func newestEvent(of key: ContractKey) throws -> Int64 {
        guard let id = ids[key] else { return 0 }
        return try sql("SELECT max(position) FROM events WHERE contract = ?")
            .first([.integer(id)]) { row in row.integer() } ?? 0
    }

    func facts(of key: ContractKey) throws -> OwnershipFacts {
        var facts = OwnershipFacts()
        guard let id = ids[key] else { return facts }
        let tokens = try sql("SELECT token, at, bought_at FROM tokens WHERE contract = ?").all([.integer(id)]) { row in
            (OrderToken(row.text()), TokenDates(first: row.instant(), last: row.optionalInstant()))
        }
        for case (let token?, let dates) in tokens { facts.tokens[token] = dates }
        facts.claims = try sql(
            """
            SELECT user, first_at, first_was_active, at, was_active, proof_at, refused_at FROM claims
            WHERE contract = ? ORDER BY user
            """
        ).all([.integer(id)], read: ClaimHistory.read)
        return facts
    }

    func order(_ token: OrderToken) throws -> Order? {
        try sql("SELECT \(OrderRow.columns) FROM orders WHERE token = ?")
            .first([.text(token.description)], read: OrderRow.read)
    }

    func orders(like request: OrderRequest) throws -> [Order] {
        let values: [Value] = [
            Value(request.user), .text(request.product), Value(request.provider), Value(request.group),
            Value(request.kind), Value(OrderContextText.text(request.context)),
        ]
        return try sql(
            """
            SELECT \(OrderRow.columns) FROM orders
            WHERE user = ? AND product = ? AND provider IS NOT DISTINCT FROM ? AND product_group IS NOT DISTINCT FROM ?
                AND kind IS NOT DISTINCT FROM ? AND context IS NOT DISTINCT FROM ?
            ORDER BY created_at DESC, token DESC LIMIT \(Order.likeLimit)
            """
        ).all(values, read: OrderRow.read)
    }

    func isUsed(_ token: OrderToken) throws -> Bool {
        try sql(
            """
            SELECT 1 FROM tokens WHERE token = ?1
            UNION ALL SELECT 1 FROM entries
                WHERE order_token = ?1 AND user IS NULL AND outcome = '\(Outcome.quarantined.rawValue)' LIMIT 1
            """
        ).first([.text(token.description)]) { _ in true } ?? false
    }

    func transfers(from source: TransferSource) throws -> [TransferTarget] {
        try sql(
            """
            SELECT at, to_user FROM transfers
            WHERE from_user = ? AND provider = ? AND environment = ? ORDER BY at, to_user
            """
        ).all(source.values) { row in TransferTarget(at: row.instant(), user: row.user()) }
    }

    func locale(of user: UserID) throws -> UserLocale { try sql.locale(of: user) }

    func ending(of user: UserID) throws -> Int64 { try sql.ending(erasureKey.digest(of: .user(user))) }

    func charges(_ name: ChargeName) throws -> [ContractKey: Charge] {
        let values = [.text(name.id), Value(name.provider), Value(name.environment), .text(name.app)] as [Value]
        let found = try sql(
            """
            SELECT contracts.id, contracts.lineage, \(ChargeRow.selection)
            FROM charges JOIN contracts ON contracts.id = charges.contract
            WHERE charges.id = ? AND \(ContractRow.scope)
            """
        ).all(values) { row in (row: row.integer(), lineage: row.text(), charge: ChargeRow.read(&row)) }
        var charges: [ContractKey: Charge] = [:]
        for found in found {
            let key = ContractKey(
                provider: name.provider,
                environment: name.environment,
                app: name.app,
                lineage: found.lineage
            )
            ids[key] = found.row
            charges[key] = found.charge
        }
        return charges
    }

    func charges(of key: ContractKey) throws -> [String] {
        guard let id = ids[key] else { return [] }
        return try sql("SELECT id FROM charges WHERE contract = ? ORDER BY id").all([.integer(id)]) { row in row.text()
        }
    }

    func isBuried(_ identity: ErasedIdentity) throws -> Bool {
        guard try knowsErasures() else { return false }
        return try sql.tombstone(erasureKey.digest(of: identity)) != nil
    }

    func holdings(of user: UserID) throws -> UserHoldings {
        let rows =
            try sql.contracts(where: "user = ?", [Value(user)])
            + sql.contracts(
                where: """
                    id IN (
                        SELECT contract FROM shares WHERE user = ?1
                        UNION SELECT contract FROM claims WHERE user = ?1
                        UNION SELECT id FROM contracts WHERE unasked_user = ?1
                        UNION SELECT tokens.contract FROM orders JOIN tokens ON tokens.token = orders.token
                            WHERE orders.user = ?1
                    ) AND (user IS NULL OR user <> ?1)
                    """,
                [Value(user)]
            )
        return (
            contracts: try rows.map { try tracked($0) },
            orders: try sql("SELECT token FROM orders WHERE user = ?")
                .all([Value(user)]) { row in row.text() }.compactMap { OrderToken($0) },
            losses: try sql("SELECT DISTINCT provider, environment FROM transfers WHERE from_user = ?")
                .all([Value(user)]) { row throws(EngineError) in
                    TransferSource(user: user, provider: try row.word(), environment: try row.word())
                }
        )
    }

    /// Most ledgers have no erasure. One question for a transaction answers this, instead of a digest of each name in
    /// each event.
    func knowsErasures() throws(EngineError) -> Bool {
        if let hasErasures { return hasErasures }
        let tombstone = try sql("SELECT position FROM tombstones WHERE position > 0 ORDER BY position LIMIT 1")
            .first { _ in true }
        // Ids that are digests remain after the user comes back, although the tombstones are removed.
        let erasedEvent = try sql(
            """
            SELECT position FROM \(sql.eventIDs)
            WHERE event >= 'erased:' AND event < 'erased;' ORDER BY event LIMIT 1
            """
        ).first { _ in true }
        let found = (tombstone ?? erasedEvent) != nil
        hasErasures = found
        return found
    }
}

/// Contracts. Every function that reads one remembers its row.
extension StoredRows {
    func contract(_ key: ContractKey) throws -> TrackedContract? {
        let row = try sql.contracts(where: "lineage = ? AND \(ContractRow.scope)", key.values(first: key.lineage)).first
        return try row.map { try tracked($0) }
    }

    /// In the order of their rows.
    func contracts(after row: Int64, limit: Int64) throws(EngineError) -> [(row: Int64, contract: TrackedContract)] {
        try sql.contracts(where: "id > ? ORDER BY id LIMIT ?", [.integer(row), .integer(limit)])
            .map { found throws(EngineError) in (found.id, try tracked(found)) }
    }

    func contracts(waitingFor product: UnlistedProduct, limit: Int64) throws(EngineError) -> [TrackedContract] {
        let values: [Value] = [Value(product.provider), .text(product.product), .integer(limit)]
        return try sql.contracts(
            where: "is_unlisted = 1 AND provider = ? AND product = ? ORDER BY user, id LIMIT ?",
            values
        ).map { found throws(EngineError) in try tracked(found) }
    }

    func contracts(_ index: ContractIndex) throws -> [TrackedContract] {
        try rows(of: index).map { try tracked($0) }
    }

    private func rows(of index: ContractIndex) throws(EngineError) -> [ContractRow] {
        switch index {
        case .ofAccount(let key):
            try sql.contracts(
                where: "account = ? AND \(ContractRow.scope) ORDER BY id LIMIT \(ContractIndex.relatedLimit)",
                key.values(first: key.lineage)
            )
        case .replacing(let key):
            try sql.contracts(
                where: "previous_lineage = ? AND \(ContractRow.scope) ORDER BY id LIMIT \(ContractIndex.relatedLimit)",
                key.values(first: key.lineage)
            )
        case .lines(let key):
            try key.lineBounds.map { bounds throws(EngineError) in
                let values = [.text(bounds.lower)] + key.values(first: bounds.upper)
                return try sql.contracts(
                    where: """
                        lineage > ? AND lineage < ? AND \(ContractRow.scope)
                        ORDER BY lineage LIMIT \(ContractIndex.relatedLimit)
                        """,
                    values
                )
            } ?? []
        case .held(let user):
            try sql.contracts(heldBy: user)
        case .named(let user, let provider, let environment):
            try sql.contracts(
                where: "user = ? AND provider = ? AND environment = ? AND store_user IS NOT NULL ORDER BY kind, id",
                [Value(user), Value(provider), Value(environment)]
            )
        case .bought(let token):
            try sql.contracts(
                where:
                    "id IN (SELECT contract FROM tokens WHERE token = ?) ORDER BY id LIMIT \(ContractIndex.boughtLimit)",
                [.text(token.description)]
            )
        }
    }

    /// Contracts whose access should have ended: at most 500, so that the commands behind them wait only milliseconds.
    func endedContracts(at now: Instant) throws(EngineError) -> [TrackedContract] {
        try sql.contracts(where: "ends_at <= ? ORDER BY ends_at, id LIMIT 500", [Value(now)])
            .map { found throws(EngineError) in try tracked(found) }
    }

    /// Nil for a number that no contract has.
    func contract(row: Int64) throws(EngineError) -> TrackedContract? {
        try sql.contract(row).map { found throws(EngineError) in try tracked(found) }
    }

    private func tracked(_ row: ContractRow) throws(EngineError) -> TrackedContract {
        var tracked = row.tracked
        if row.isShared { tracked.shares = try sql.shares(of: row.id) }
        ids[tracked.key] = row.id
        return tracked
    }
}

extension ClaimHistory {
    fileprivate static func read(_ row: inout Row) -> ClaimHistory {
        let user = row.user()
        return ClaimHistory(
            user: user,
            first: grant(to: user, &row),
            last: grant(to: user, &row),
            proofAt: row.instant(),
            refusedAt: row.optionalInstant()
        )
    }

    /// Nil when no claim was granted.
    private static func grant(to user: UserID, _ row: inout Row) -> Ownership.Fact? {
        let at = row.optionalInstant()
        let wasActive = row.flag()
        return at.map { .claim(by: user, at: $0, whileActive: wasActive) }
    }
}
