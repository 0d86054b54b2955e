public import Domain

/// The decisions of one command: it reads what is known, and collects what has to be written.
///
/// Nothing here has an effect. A decision that needs something that has not been loaded throws `Missing` and starts
/// over in a new unit of work once that is loaded (https://martinfowler.com/eaaCatalog/unitOfWork.html).
public struct UnitOfWork: Sendable {
    let known: WorkingSet
    /// The changes of this command so far.
    var draft: WorkingSet
    var changes = Changes()
    /// The changed contracts, in the order of their first change.
    private var changedContracts: [ContractKey] = []
    /// Changes of contracts that pages have not been told of yet, and the entry of each.
    var unannounced: [(change: ContractChange, entry: Int)] = []
    /// Contracts whose owners have to be determined again.
    var unresolved: [TrackedContract] = []
    /// Contracts that have changed, so that the owners of others may have.
    var related: [TrackedContract] = []
    let policy: AccessPolicy
    let streams: StreamPattern
    /// Identifies the ledger in its cursors.
    let epoch: String
    let now: Instant

    public init(_ known: WorkingSet, policy: AccessPolicy, streams: StreamPattern, epoch: String, now: Instant) {
        self.known = known
        draft = WorkingSet(head: known.head)
        self.policy = policy
        self.streams = streams
        self.epoch = epoch
        self.now = now
    }

    /// Decides the consequences of all that the command has changed, once: an order may concern a thousand contracts of a
    /// buyer, and each may decide about the owners of all others, and about the pages of all who hold them. Both take
    /// time in proportion to the contracts concerned (`ManyContractsTests`).
    public mutating func settle() throws(Missing) {
        try resolveOwners()
        try announce()
    }

    /// The changes to write, and what later commands of the same transaction know because of them.
    public consuming func finish() -> (changes: Changes, draft: WorkingSet) {
        for key in changedContracts {
            guard let current = draft.contract(key) ?? nil else { continue }
            changes.contracts.append(ContractChangeRecord(current: current, previous: known.contract(key) ?? nil))
        }
        return (changes, draft)
    }

    /// Throws unless all of this is known: it asks at once for everything that will be read one after the other. `walk`
    /// tells how the decision continues from there, past the contracts that it has `seen`.
    func demand(_ needs: [Need], walk: Missing.Walk? = nil, seen: Set<ContractKey> = []) throws(Missing) {
        let missing = needs.filter { !known.knows($0) && !draft.knows($0) }
        guard missing.isEmpty else { throw Missing(missing, from: needs, walk: walk, seen: seen) }
    }

    func cursor(_ position: Int64) -> Cursor { Cursor(epoch: epoch, position: position) }

    /// The newest position.
    var head: Int64 { draft.head }
}

extension UnitOfWork {
    func contract(_ key: ContractKey) throws(Missing) -> TrackedContract? {
        guard let found = draft.contract(key) ?? known.contract(key) else { throw Missing(.contract(key)) }
        return found
    }

    func contracts(_ index: ContractIndex) throws(Missing) -> [TrackedContract] {
        guard var keys = known.keys(of: index) else { throw Missing(.contracts(index)) }
        for key in draft.changedKeys(of: index) where !known.isListed(key, in: index) { keys.append(key) }
        var found: [TrackedContract] = []
        for key in keys where found.count < index.limit ?? .max {
            if let contract = try contract(key), index.contains(contract) { found.append(contract) }
        }
        return found
    }

    /// Nil for a contract that does not exist.
    func facts(of key: ContractKey) throws(Missing) -> OwnershipFacts {
        guard let found = draft.facts(of: key) ?? known.facts(of: key) else {
            throw Missing(.facts(of: key))
        }
        return found
    }

    func position(of event: Event) throws(Missing) -> Int64? {
        let key = EventKey(event)
        guard let found = draft.position(of: key) ?? known.position(of: key) else {
            throw Missing(.event(key))
        }
        return found
    }

    /// 0 if no event is filed under it.
    func newestEvent(of key: ContractKey) throws(Missing) -> Int64 {
        guard let found = known.newestEvent(of: key) else { throw Missing(.newestEvent(of: key)) }
        return found
    }

    func order(_ token: OrderToken) throws(Missing) -> Order? {
        guard let found = draft.order(token) ?? known.order(token) else { throw Missing(.order(token)) }
        return found
    }

    func order(like request: OrderRequest) throws(Missing) -> Order? {
        guard let found = known.order(like: request) else { throw Missing(.orderLike(request)) }
        return found
    }

    func transfers(from source: TransferSource) throws(Missing) -> [TransferTarget] {
        guard let found = draft.transfers(from: source) ?? known.transfers(from: source) else {
            throw Missing(.transfers(source))
        }
        return found
    }

    func language(of user: UserID) throws(Missing) -> LanguageTag? {
        guard let found = draft.language(of: user) ?? known.language(of: user) else {
            throw Missing(.language(of: user))
        }
        return found
    }

    func isBuried(_ identity: ErasedIdentity) throws(Missing) -> Bool {
        guard let found = draft.isBuried(identity) ?? known.isBuried(identity) else {
            throw Missing(.tombstones(of: [identity]))
        }
        return found
    }

    func possessions(of user: UserID) throws(Missing) -> UserHoldings {
        guard let found = known.possessions(of: user) else { throw Missing(.possessions(of: user)) }
        return found
    }
}

extension UnitOfWork {
    mutating func save(_ contract: TrackedContract) throws(Missing) {
        let key = contract.key
        if try self.contract(key) == nil { draft.changed(OwnershipFacts(), of: key) }
        if draft.contract(key) == nil { changedContracts.append(key) }
        draft.changed(contract)
    }

    /// Remembers a token of a contract; returns true if that is new.
    mutating func add(_ token: OrderToken, dates: TokenDates, to key: ContractKey) throws(Missing) -> Bool {
        var facts = try facts(of: key)
        if let known = facts.tokens[token], !known.lacks(dates) { return false }
        var merged = facts.tokens[token] ?? dates
        merged.add(dates)
        facts.tokens[token] = merged
        draft.changed(facts, of: key)
        draft.changed(token, boughtAt: key)
        changes.tokens.append(TokenRecord(contract: key, token: token, dates: merged))
        return true
    }

    mutating func add(_ note: ClaimDecision.Note, to key: ContractKey) throws(Missing) {
        var facts = try facts(of: key)
        facts.add(note)
        draft.changed(facts, of: key)
        guard let claim = facts.claims.first(where: { $0.user == note.user }) else { return }
        changes.claims.append(ClaimRecord(contract: key, claim: claim))
    }

    mutating func add(_ target: TransferTarget, from source: TransferSource) throws(Missing) {
        var targets = try transfers(from: source)
        guard targets.insert(target) else { return }
        draft.changed(targets, from: source)
        changes.transfers.append(TransferRecord(source: source, target: target))
    }

    /// Remembers the language that a user reads; the last one counts.
    public mutating func setLanguage(_ language: LanguageTag, of user: UserID) throws(Missing) {
        guard try self.language(of: user) != language else { return }
        draft.changed(language, of: user)
        changes.languages.append(LanguageRecord(user: user, language: language))
    }

    mutating func append(_ notice: Notice, fragments: [Fragment] = []) throws(Missing) -> Entry {
        let written = try streams.written(fragments) { user throws(Missing) in try language(of: user) }
        let position = draft.advance()
        let entry = Entry(position: position, committedAt: now, notice: notice, fragments: written)
        changes.entries.append(AppendedEntry(entry: entry, stored: fragments))
        return entry
    }

    mutating func queue(_ jobs: [Job], position: Int64?) {
        changes.jobs += jobs.map { QueuedJobRecord(job: $0, position: position) }
    }
}
