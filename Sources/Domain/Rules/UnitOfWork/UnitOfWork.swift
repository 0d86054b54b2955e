/// The decisions of one command: it reads from the ledger, and collects what has to be written
/// (https://martinfowler.com/eaaCatalog/unitOfWork.html).
///
/// Reading throws the error of the ledger's engine, and nothing else does. Then the transaction is over, with all that
/// is known in it.
public struct UnitOfWork {
    let ledger: IdentityMap
    var changes = Changes()
    /// The changed contracts, in the order of their first change, as they were before it.
    private var changedContracts: [(key: ContractKey, previous: TrackedContract?)] = []
    private var isChanged: Set<ContractKey> = []
    /// Changes of contracts that pages have not been told of yet, and the entry of each.
    var unannounced: [(change: ContractChange, entry: Int)] = []
    /// What has become of charges that the backend has not been told of yet, and the entry of each.
    var untold: [(charge: ToldPurchase, news: ChargeNews, entry: Int)] = []
    /// Contracts whose owners have to be determined again.
    var unresolved: [TrackedContract] = []
    /// Contracts that have changed, so that the owners of others may have.
    var related: [TrackedContract] = []
    /// The user for whom this command imports something.
    var importer: UserID?
    let policy: AccessPolicy
    let streams: StreamPattern
    /// Identifies the ledger in its cursors.
    let epoch: String
    let now: Instant

    public init(_ ledger: IdentityMap, policy: AccessPolicy, streams: StreamPattern, epoch: String, now: Instant) {
        self.ledger = ledger
        self.policy = policy
        self.streams = streams
        self.epoch = epoch
        self.now = now
    }

    /// Decides the consequences of all that the command has changed, once: an order may concern a thousand contracts of a
    /// buyer, and each may decide about the owners of all others, and about the pages of all who hold them. Both take
    /// time in proportion to the contracts concerned (`ManyContractsTests`).
    public mutating func settle() throws {
        try resolveOwners()
        try announce()
    }

    /// The changes to write.
    public consuming func finish() throws -> Changes {
        for (key, previous) in changedContracts {
            guard let current = try ledger.contract(key) else { continue }
            changes.contracts.append((current, previous))
        }
        return changes
    }

    func cursor(_ position: Int64) -> Cursor { Cursor(epoch: epoch, position: position) }
}

extension UnitOfWork {
    mutating func save(_ contract: TrackedContract) throws {
        var contract = contract
        contract.isUnlisted = policy.isUnlisted(contract)
        let key = contract.key
        let previous = try ledger.contract(key)
        if previous == nil { ledger.facts[key] = OwnershipFacts() }
        if isChanged.insert(key).inserted { changedContracts.append((key, previous)) }
        ledger.changed(contract)
    }

    /// Remembers a token of a contract; returns true if that is new.
    mutating func add(_ token: OrderToken, dates: TokenDates, to key: ContractKey) throws -> Bool {
        var facts = try ledger.facts(of: key)
        if let known = facts.tokens[token], !known.lacks(dates) { return false }
        var merged = facts.tokens[token] ?? dates
        merged.add(dates)
        facts.tokens[token] = merged
        ledger.facts[key] = facts
        ledger.list(key, in: .bought(with: token))
        ledger.used[token] = true
        changes.tokens.append((key, token, merged))
        return true
    }

    mutating func add(_ note: ClaimDecision.Note, to key: ContractKey) throws {
        var facts = try ledger.facts(of: key)
        facts.add(note)
        ledger.facts[key] = facts
        guard let claim = facts.claims.first(where: { $0.user == note.user }) else { return }
        changes.claims.append((key, claim))
    }

    mutating func add(_ target: TransferTarget, from source: TransferSource) throws {
        var targets = try ledger.transfers(from: source)
        guard targets.insert(target) else { return }
        ledger.transfers[source] = targets
        changes.transfers.append((source, target))
    }

    /// Remembers what is said of how a user reads; the last word counts.
    public mutating func setLocale(_ said: UserLocale, of user: UserID) throws {
        guard said != .unknown else { return }
        let known = try ledger.locale(of: user)
        let locale = known.updated(with: said)
        guard locale != known else { return }
        ledger.locales[user] = locale
        changes.locales.append((user, locale))
    }

    mutating func append(_ notice: Notice, fragments: [Fragment] = []) throws -> Entry {
        let written = try streams.written(fragments, naming: policy.catalog) { try ledger.locale(of: $0) }
        let position = ledger.advance()
        var notice = notice
        if let token = notice.order, let order = try ledger.order(token) { notice.context = order.context }
        let entry = Entry(position: position, committedAt: now, notice: notice, fragments: written)
        changes.entries.append(AppendedEntry(entry: entry, stored: fragments))
        return entry
    }

    mutating func queue(_ jobs: [Job], position: Int64?) {
        changes.jobs += jobs.map { (job: $0, position: position) }
    }
}

/// What a decision may ask of the ledger, inside one transaction. An engine answers with what is stored; what the
/// transaction has changed since is in its `IdentityMap`.
public protocol LedgerRows: AnyObject {
    /// The position at which an event was first committed; nil if it was not.
    func position(of event: EventKey) throws -> Int64?
    /// The position of the newest event that is filed under a contract, or 0.
    func newestEvent(of key: ContractKey) throws -> Int64
    func contract(_ key: ContractKey) throws -> TrackedContract?
    /// In the order of the ledger, as many as the list's `limit`.
    func contracts(_ index: ContractIndex) throws -> [TrackedContract]
    /// Of a contract that the ledger has.
    func facts(of key: ContractKey) throws -> OwnershipFacts
    func order(_ token: OrderToken) throws -> Order?
    /// The newest orders that the same request created, at most `Order.likeLimit`, the newest first.
    func orders(like request: OrderRequest) throws -> [Order]
    /// True once a store's statement has carried the token: of a purchase that fits its order, or contradicts it.
    func isUsed(_ token: OrderToken) throws -> Bool
    /// The store's statements about a user who lost everything to others, in the order of their dates, then of the users.
    func transfers(from source: TransferSource) throws -> [TransferTarget]
    func locale(of user: UserID) throws -> UserLocale
    /// Where the user's pages were ended last; 0 if they never were.
    func ending(of user: UserID) throws -> Int64
    /// The charges with a store's id, by their contracts.
    func charges(_ name: ChargeName) throws -> [ContractKey: Charge]
    /// The ids of a contract's charges, in the order of their bytes.
    func charges(of key: ContractKey) throws -> [String]
    /// True if it belonged to an erased user.
    func isBuried(_ identity: ErasedIdentity) throws -> Bool
    /// Everything that an erasure has to examine.
    func holdings(of user: UserID) throws -> UserHoldings
}
