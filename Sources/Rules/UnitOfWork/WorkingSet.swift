public import Domain

/// Everything that is known during one transaction: what was loaded, and what was changed since. Nil means that the
/// ledger has no such row; an absent key means that nobody has looked.
///
/// The same type serves for what is known and for what one command adds to it.
public struct WorkingSet: Sendable {
    /// The newest position.
    public private(set) var head: Int64
    private var contracts: [ContractKey: TrackedContract?] = [:]
    private var lists: [ContractIndex: List] = [:]
    /// Lists that may have more contracts than count. Only the ledger can tell which ones count.
    private var fullLists: Set<ContractIndex> = []
    private var facts: [ContractKey: OwnershipFacts] = [:]
    private var events: [EventKey: Int64?] = [:]
    private var newestEvents: [ContractKey: Int64] = [:]
    private var orders: [OrderToken: Order?] = [:]
    /// A user's requests are dropped after a command that creates an order.
    private var requests: [OrderRequest: Order?] = [:]
    private var transfers: [TransferSource: [TransferTarget]] = [:]
    private var languages: [UserID: LanguageTag?] = [:]
    private var tombstones: [ErasedIdentity: Bool] = [:]
    /// Dropped after its command.
    private var possessions: [UserID: UserHoldings] = [:]

    /// Contracts that belonged to a list when they were listed; some may have left it since.
    private struct List {
        private(set) var keys: [ContractKey] = []
        private var members: Set<ContractKey> = []
        /// False if it contains only changed contracts.
        var isLoaded = false

        mutating func append(_ key: ContractKey) {
            if members.insert(key).inserted { keys.append(key) }
        }

        /// Returns true if that fills the list of `index`.
        mutating func append(_ key: ContractKey, filling index: ContractIndex) -> Bool {
            append(key)
            return isFull(index)
        }

        func isFull(_ index: ContractIndex) -> Bool { keys.count >= index.limit ?? .max }

        func contains(_ key: ContractKey) -> Bool { members.contains(key) }
    }

    public init(head: Int64) {
        self.head = head
    }
}

/// Records what the ledger has loaded. It never replaces later changes.
extension WorkingSet {
    /// The position at which the event was first committed; nil if it was not.
    public mutating func loaded(_ event: EventKey, at position: Int64?) {
        if events[event] == nil { events[event] = .some(position) }
    }

    public mutating func loaded(newestEvent position: Int64, of key: ContractKey) {
        newestEvents[key] = position
    }

    public mutating func loaded(_ contract: TrackedContract?, for key: ContractKey) {
        if contracts[key] == nil { contracts[key] = .some(contract) }
    }

    /// The contracts of a list, all of them known, in the order of the ledger: as many as its `limit`.
    public mutating func loaded(_ keys: [ContractKey], of index: ContractIndex) {
        var list = List()
        for key in keys + (lists[index]?.keys ?? []) { list.append(key) }
        list.isLoaded = true
        lists[index] = list
        if list.isFull(index) { fullLists.insert(index) }
    }

    public mutating func loaded(_ found: OwnershipFacts, of key: ContractKey) {
        if facts[key] == nil { facts[key] = found }
    }

    public mutating func loaded(_ order: Order?, for token: OrderToken) {
        if orders[token] == nil { orders[token] = .some(order) }
    }

    public mutating func loaded(_ order: Order?, like request: OrderRequest) {
        if requests[request] == nil { requests[request] = .some(order) }
    }

    /// In the order of their dates, then of the users.
    public mutating func loaded(_ targets: [TransferTarget], from source: TransferSource) {
        if transfers[source] == nil { transfers[source] = targets }
    }

    public mutating func loaded(_ language: LanguageTag?, of user: UserID) {
        if languages[user] == nil { languages[user] = .some(language) }
    }

    public mutating func loaded(isBuried: Bool, _ identity: ErasedIdentity) {
        if tombstones[identity] == nil { tombstones[identity] = isBuried }
    }

    public mutating func loaded(_ found: UserHoldings, of user: UserID) {
        possessions[user] = found
    }
}

/// Records changes.
extension WorkingSet {
    mutating func advance() -> Int64 {
        head += 1
        return head
    }

    mutating func changed(_ contract: TrackedContract) {
        contracts[contract.key] = .some(contract)
        for index in ContractIndex.containing(contract) { list(contract.key, in: index) }
    }

    mutating func changed(_ new: OwnershipFacts, of key: ContractKey) {
        facts[key] = new
    }

    mutating func changed(_ token: OrderToken, boughtAt key: ContractKey) {
        list(key, in: .bought(with: token))
    }

    mutating func changed(_ event: EventKey, at position: Int64) {
        events[event] = .some(position)
    }

    mutating func changed(_ order: Order) {
        orders[order.token] = .some(order)
    }

    mutating func changed(_ targets: [TransferTarget], from source: TransferSource) {
        transfers[source] = targets
    }

    mutating func changed(_ language: LanguageTag, of user: UserID) {
        languages[user] = .some(language)
    }

    mutating func changed(isBuried: Bool, _ identity: ErasedIdentity) {
        tombstones[identity] = isBuried
    }

    mutating func removed(_ key: ContractKey) {
        contracts[key] = .some(nil)
        facts[key] = OwnershipFacts()
    }

    mutating func removed(_ token: OrderToken) {
        orders[token] = .some(nil)
    }

    mutating func forgotLanguage(of user: UserID) {
        languages[user] = .some(nil)
    }

    private mutating func list(_ key: ContractKey, in index: ContractIndex) {
        if lists[index, default: List()].append(key, filling: index) { fullLists.insert(index) }
    }

    /// Takes over the changes of one command. A user's requests, newest events and full lists are asked for again.
    public mutating func adopt(_ draft: WorkingSet) {
        head = draft.head
        for (key, contract) in draft.contracts { contracts[key] = contract }
        for (index, changed) in draft.lists {
            for key in changed.keys { list(key, in: index) }
        }
        for index in fullLists { lists[index]?.isLoaded = false }
        fullLists = []
        facts.merge(draft.facts) { _, new in new }
        events.merge(draft.events) { _, new in new }
        orders.merge(draft.orders) { _, new in new }
        transfers.merge(draft.transfers) { _, new in new }
        languages.merge(draft.languages) { _, new in new }
        tombstones.merge(draft.tombstones) { _, new in new }
        possessions = [:]
        let users = Set(draft.orders.values.compactMap { $0?.user })
        if !users.isEmpty { requests = requests.filter { !users.contains($0.key.user) } }
        newestEvents = [:]
    }
}

/// Looks values up. The outer optional is nil if nobody has looked yet.
extension WorkingSet {
    func contract(_ key: ContractKey) -> TrackedContract?? { contracts[key] }
    func facts(of key: ContractKey) -> OwnershipFacts? { facts[key] }
    func position(of event: EventKey) -> Int64?? { events[event] }
    func newestEvent(of key: ContractKey) -> Int64? { newestEvents[key] }
    func order(_ token: OrderToken) -> Order?? { orders[token] }
    func order(like request: OrderRequest) -> Order?? { requests[request] }
    func transfers(from source: TransferSource) -> [TransferTarget]? { transfers[source] }
    func language(of user: UserID) -> LanguageTag?? { languages[user] }
    func isBuried(_ identity: ErasedIdentity) -> Bool? { tombstones[identity] }
    func possessions(of user: UserID) -> UserHoldings? { possessions[user] }

    /// Nil unless the list was loaded.
    func keys(of index: ContractIndex) -> [ContractKey]? { lists[index].flatMap { $0.isLoaded ? $0.keys : nil } }

    func isListed(_ key: ContractKey, in index: ContractIndex) -> Bool { lists[index]?.contains(key) ?? false }

    /// Those that were changed, loaded or not.
    func changedKeys(of index: ContractIndex) -> [ContractKey] { lists[index]?.keys ?? [] }

    /// True if nothing has to be loaded.
    public func knows(_ need: Need) -> Bool {
        switch need {
        case .event(let key): events[key] != nil
        case .newestEvent(let key): newestEvents[key] != nil
        case .contract(let key): contracts[key] != nil
        case .contracts(let index): lists[index]?.isLoaded == true
        case .facts(let key): facts[key] != nil
        case .order(let token): orders[token] != nil
        case .orderLike(let request): requests[request] != nil
        case .transfers(let source): transfers[source] != nil
        case .language(let user): languages[user] != nil
        case .tombstones(let identities): identities.allSatisfy { tombstones[$0] != nil }
        case .possessions(let user): possessions[user] != nil
        }
    }
}
