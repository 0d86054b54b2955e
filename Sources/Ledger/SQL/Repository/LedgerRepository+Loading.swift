internal import Domain
internal import LedgerInterface
internal import Rules

/// Loads the rows that a decision needs.
extension LedgerRepository {
    /// Fails if a decision asks for the same again.
    mutating func load(_ need: Need) throws(EngineError) {
        try find(need)
        guard known.knows(need) else { throw .unanswered }
    }

    private mutating func find(_ need: Need) throws(EngineError) {
        switch need {
        case .event(let event): known.loaded(event, at: try position(of: event))
        case .newestEvent(let key): known.loaded(newestEvent: try newestEvent(of: key), of: key)
        case .contract(let key): try loadContract(key)
        case .contracts(let index): try loadContracts(of: index)
        case .facts(let key): known.loaded(try facts(of: key), of: key)
        case .order(let token):
            known.loaded(try statements.findOrder.first([.text(token.description)], read: OrderRow.read), for: token)
        case .orderLike(let request): known.loaded(try order(like: request), like: request)
        case .transfers(let source): known.loaded(try transfers(from: source), from: source)
        case .tombstones(let identities): for identity in identities { try loadTombstone(of: identity) }
        case .possessions(let user): known.loaded(try possessions(of: user), of: user)
        case .language(let user): known.loaded(try statements.language.language(of: user), of: user)
        }
    }

    private mutating func position(of event: EventKey) throws(EngineError) -> Int64? {
        let erased = try knowsErasures() ? erasureKey.digest(of: .event(event)) : event.id
        let values = [.text(erased)] + event.values
        return try statements.findEvent.first(values) { row in row.optionalInteger(0) } ?? nil
    }

    private mutating func newestEvent(of key: ContractKey) throws(EngineError) -> Int64 {
        guard let id = try row(of: key) else { return 0 }
        return try statements.newestEvent.first([.integer(id)]) { row in row.integer(0) } ?? 0
    }

    private mutating func facts(of key: ContractKey) throws(EngineError) -> OwnershipFacts {
        guard let id = try row(of: key) else { return OwnershipFacts() }
        var facts = OwnershipFacts()
        for (text, dates) in try statements.tokens.all([.integer(id)], read: TokenDates.read) {
            if let token = OrderToken(text) { facts.tokens[token] = dates }
        }
        facts.claims = try statements.claims.all([.integer(id)], read: ClaimHistory.read)
        return facts
    }

    private func order(like request: OrderRequest) throws(EngineError) -> Order? {
        let values: [Value] = [
            Value(request.user), .text(request.product), Value(request.provider), Value(request.group),
            Value(request.kind),
        ]
        return try statements.findRequest.first(values, read: OrderRow.read)
    }

    private func transfers(from source: TransferSource) throws(EngineError) -> [TransferTarget] {
        try statements.transfers.all(source.values) { row in
            TransferTarget(at: row.instant(0), user: row.user(1))
        }
    }
}

/// Contracts. Every function that loads one remembers its row.
extension LedgerRepository {
    private mutating func loadContract(_ key: ContractKey) throws(EngineError) {
        let found = try statements.findContract.first(key.values(first: key.lineage), read: ContractRow.read)
        guard let found else { return known.loaded(nil, for: key) }
        try loaded(found)
    }

    private mutating func loadContracts(of index: ContractIndex) throws(EngineError) {
        let found = try contracts(of: index)
        for row in found { try loaded(row) }
        known.loaded(found.map(\.tracked.key), of: index)
    }

    private func contracts(of index: ContractIndex) throws(EngineError) -> [ContractRow] {
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
            try statements.contractsOfUser.all([Value(user)], read: ContractRow.read)
                + statements.contractsSharedWith.all([Value(user)], read: ContractRow.read)
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
    mutating func endedContracts(at now: Instant) throws(EngineError) -> [ContractKey] {
        let found = try statements.endedContracts.all([Value(now)], read: ContractRow.read)
        for row in found { try loaded(row) }
        return found.map(\.tracked.key)
    }

    /// Nil for a number that no contract has.
    mutating func contract(row: Int64) throws(EngineError) -> TrackedContract? {
        guard let found = try statements.contractByID.first([.integer(row)], read: ContractRow.read) else { return nil }
        return try loaded(found)
    }

    @discardableResult
    mutating func loaded(_ row: ContractRow) throws(EngineError) -> TrackedContract {
        var tracked = row.tracked
        if row.isShared {
            tracked.shares = try statements.shares.all([.integer(row.id)]) { row in row.user(0) }
        }
        rows[tracked.key] = row.id
        known.loaded(tracked, for: tracked.key)
        return tracked
    }

    /// Nil for a contract that the ledger does not have.
    private mutating func row(of key: ContractKey) throws(EngineError) -> Int64? {
        if !known.knows(.contract(key)) { try loadContract(key) }
        return rows[key]
    }
}

extension TokenDates {
    fileprivate static func read(_ row: Row) -> (token: String, dates: TokenDates) {
        var reader = RowReader(row)
        return (reader.text(), TokenDates(first: reader.instant(), last: reader.optionalInstant()))
    }
}

extension ClaimHistory {
    fileprivate static func read(_ row: Row) -> ClaimHistory {
        var reader = RowReader(row)
        return ClaimHistory(
            user: reader.user(),
            first: Grant(&reader),
            last: Grant(&reader),
            proofAt: reader.instant()
        )
    }
}

extension ClaimHistory.Grant {
    /// Nil when no claim was granted.
    fileprivate init?(_ reader: inout RowReader) {
        let at = reader.optionalInstant()
        let wasActive = reader.flag()
        guard let at else { return nil }
        self.init(at: at, wasActive: wasActive)
    }
}
