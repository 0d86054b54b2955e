import Domain

/// The rows of the ledger, as decisions read them in a transaction. Used by the writer's thread only.
final class StoredRows {
    private let connection: any LedgerConnection
    private let statements: WriterStatements
    private let erasureKey: ErasureKey
    /// The rows of the contracts that were read or written in this transaction.
    var ids: [ContractKey: Int64] = [:]
    /// True if the ledger has traces of an erasure; nil until a transaction asks.
    var hasErasures: Bool?

    init(_ connection: any LedgerConnection, _ statements: WriterStatements, _ erasureKey: ErasureKey) {
        self.connection = connection
        self.statements = statements
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
        let values = [.text(erased)] + event.values
        return try statements.findEvent.first(values) { row in row.optionalInteger() } ?? nil
    }

    func newestEvent(of key: ContractKey) throws -> Int64 {
        guard let id = ids[key] else { return 0 }
        return try statements.newestEvent.first([.integer(id)]) { row in row.integer() } ?? 0
    }

    func facts(of key: ContractKey) throws -> OwnershipFacts {
        var facts = OwnershipFacts()
        guard let id = ids[key] else { return facts }
        let tokens = try statements.tokens.all([.integer(id)]) { row in
            (OrderToken(row.text()), TokenDates(first: row.instant(), last: row.optionalInstant()))
        }
        for case (let token?, let dates) in tokens { facts.tokens[token] = dates }
        facts.claims = try statements.claims.all([.integer(id)], read: ClaimHistory.read)
        return facts
    }

    func order(_ token: OrderToken) throws -> Order? {
        try statements.findOrder.first([.text(token.description)], read: OrderRow.read)
    }

    func orders(like request: OrderRequest) throws -> [Order] {
        let values: [Value] = [
            Value(request.user), .text(request.product), Value(request.provider), Value(request.group),
            Value(request.kind),
        ]
        return try statements.findRequest.all(values, read: OrderRow.read)
    }

    func isUsed(_ token: OrderToken) throws -> Bool {
        try statements.findUse.first([.text(token.description)]) { _ in true } ?? false
    }

    func transfers(from source: TransferSource) throws -> [TransferTarget] {
        try statements.transfers.all(source.values) { row in
            TransferTarget(at: row.instant(), user: row.user())
        }
    }

    func locale(of user: UserID) throws -> UserLocale { try statements.common.locale.locale(of: user) }

    func isBuried(_ identity: ErasedIdentity) throws -> Bool {
        guard try knowsErasures() else { return false }
        let digest = Value.text(erasureKey.digest(of: identity))
        return try statements.common.tombstone.first([digest]) { _ in true } ?? false
    }

    func holdings(of user: UserID) throws -> UserHoldings {
        let erasure = try ErasureStatements(connection)
        let rows =
            try erasure.contracts.all([Value(user)], read: ContractRow.read)
            + erasure.related.all([Value(user)], read: ContractRow.read)
        return (
            contracts: try rows.map { try tracked($0) },
            orders: try erasure.orders.all([Value(user)]) { row in row.text() }.compactMap { OrderToken($0) },
            losses: try erasure.losses.all([Value(user)]) { row throws(EngineError) in
                TransferSource(user: user, provider: try row.word(), environment: try row.word())
            }
        )
    }

    /// Most ledgers have no erasure. One question for a transaction answers this, instead of a digest of each name in
    /// each event.
    func knowsErasures() throws(EngineError) -> Bool {
        if let hasErasures { return hasErasures }
        let hasTombstone = try statements.anyTombstone.first { _ in true } ?? false
        let hasErasedEvent = try statements.anyErasedEvent.first { _ in true } ?? false
        let found = hasTombstone || hasErasedEvent
        hasErasures = found
        return found
    }
}

/// Contracts. Every function that reads one remembers its row.
extension StoredRows {
    func contract(_ key: ContractKey) throws -> TrackedContract? {
        let row = try statements.findContract.first(key.values(first: key.lineage), read: ContractRow.read)
        return try row.map { try tracked($0) }
    }

    /// In the order of their rows.
    func contracts(after row: Int64, limit: Int64) throws(EngineError) -> [(row: Int64, contract: TrackedContract)] {
        try statements.contractsAfter.all([.integer(row), .integer(limit)], read: ContractRow.read)
            .map { found throws(EngineError) in (found.id, try tracked(found)) }
    }

    func contracts(waitingFor product: UnlistedProduct, limit: Int64) throws(EngineError) -> [TrackedContract] {
        let values: [Value] = [Value(product.provider), .text(product.product), .integer(limit)]
        return try statements.contractsUnlisted.all(values, read: ContractRow.read)
            .map { found throws(EngineError) in try tracked(found) }
    }

    func contracts(_ index: ContractIndex) throws -> [TrackedContract] {
        try rows(of: index).map { try tracked($0) }
    }

    private func rows(of index: ContractIndex) throws(EngineError) -> [ContractRow] {
        switch index {
        case .ofAccount(let key):
            try statements.contractsByAccount.all(key.values(first: key.lineage), read: ContractRow.read)
        case .replacing(let key):
            try statements.contractsByPreviousLineage.all(key.values(first: key.lineage), read: ContractRow.read)
        case .lines(let key):
            try key.lineBounds.map { bounds throws(EngineError) in
                let values = [.text(bounds.lower)] + key.values(first: bounds.upper)
                return try statements.contractsByPurchase.all(values, read: ContractRow.read)
            } ?? []
        case .held(let user):
            try statements.common.contractsOfUser.all([Value(user)], read: ContractRow.read)
                + statements.common.contractsSharedWith.all([Value(user)], read: ContractRow.read)
        case .named(let user, let provider, let environment):
            try statements.contractsOfStoreUser.all(
                [Value(user), Value(provider), Value(environment)],
                read: ContractRow.read
            )
        case .bought(let token):
            try statements.contractsByToken.all([.text(token.description)], read: ContractRow.read)
        }
    }

    /// Contracts whose access should have ended: at most 500, so that the commands behind them wait only milliseconds.
    func endedContracts(at now: Instant) throws(EngineError) -> [TrackedContract] {
        let found = try statements.endedContracts.all([Value(now)], read: ContractRow.read)
        return try found.map { row throws(EngineError) in try tracked(row) }
    }

    /// Nil for a number that no contract has.
    func contract(row: Int64) throws(EngineError) -> TrackedContract? {
        let found = try statements.common.contractByID.first([.integer(row)], read: ContractRow.read)
        return try found.map { row throws(EngineError) in try tracked(row) }
    }

    private func tracked(_ row: ContractRow) throws(EngineError) -> TrackedContract {
        var tracked = row.tracked
        if row.isShared {
            tracked.shares = try statements.common.shares.all([.integer(row.id)]) { row in row.user() }
        }
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
            proofAt: row.instant()
        )
    }

    /// Nil when no claim was granted.
    private static func grant(to user: UserID, _ row: inout Row) -> Ownership.Fact? {
        let at = row.optionalInstant()
        let wasActive = row.flag()
        return at.map { .claim(by: user, at: $0, whileActive: wasActive) }
    }
}

extension Statement {
    /// `SELECT language, time_zone FROM locales WHERE user = ?`.
    func locale(of user: UserID) throws(EngineError) -> UserLocale {
        try first([Value(user)]) { row in
            UserLocale(
                language: row.optionalText().flatMap { LanguageTag($0) },
                timeZone: row.optionalText().flatMap { TimeZoneName($0) }
            )
        } ?? .unknown
    }
}
