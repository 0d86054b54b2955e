/// Everything that one transaction has read or changed: a row is asked for once, and each command sees what the ones
/// before it changed (https://martinfowler.com/eaaCatalog/identityMap.html).
///
/// Nil in a dictionary means that the ledger has no such row; an absent key, that nobody has asked. Confined to the thread of its
/// transaction.
public final class IdentityMap {
    private let rows: any LedgerRows
    /// The newest position.
    public private(set) var head: Int64
    private var contracts: [ContractKey: TrackedContract?] = [:]
    private var lists: [ContractIndex: List] = [:]
    /// Lists that may have more contracts than count. Only the ledger can tell which ones count.
    private var fullLists: Set<ContractIndex> = []
    private var requests: [OrderRequest: [Order]] = [:]
    // A command records in these what it changes.
    var facts: [ContractKey: OwnershipFacts] = [:]
    var events: [EventKey: Int64?] = [:]
    var orders: [OrderToken: Order?] = [:]
    var used: [OrderToken: Bool] = [:]
    var transfers: [TransferSource: [TransferTarget]] = [:]
    var locales: [UserID: UserLocale] = [:]
    var endings: [UserID: Int64] = [:]
    var tombstones: [ErasedIdentity: Bool] = [:]
    private var charges: [ChargeName: [ContractKey: Charge]] = [:]
    /// The ids of those that the transaction has added.
    private var addedCharges: [ContractKey: [String]] = [:]

    /// Contracts that belonged to a list when they were listed; some may have left it since.
    private struct List {
        private(set) var keys: [ContractKey] = []
        private var members: Set<ContractKey> = []
        /// False if it contains only changed contracts.
        var isLoaded = false

        mutating func append(_ key: ContractKey) {
            if members.insert(key).inserted { keys.append(key) }
        }

        func isFull(_ index: ContractIndex) -> Bool { keys.count >= index.limit ?? .max }
    }

    public init(_ rows: any LedgerRows, head: Int64) {
        self.rows = rows
        self.head = head
    }
}

extension IdentityMap: LedgerRows {
    public func contract(_ key: ContractKey) throws -> TrackedContract? {
        try contracts.value(of: key, else: rows.contract)
    }

    public func contracts(_ index: ContractIndex) throws -> [TrackedContract] {
        if lists[index]?.isLoaded != true { try load(index) }
        var found: [TrackedContract] = []
        for key in lists[index]?.keys ?? [] where found.count < index.limit ?? .max {
            if let contract = try contract(key), index.contains(contract) { found.append(contract) }
        }
        return found
    }

    /// Changed contracts come after those that the ledger lists.
    private func load(_ index: ContractIndex) throws {
        var list = List()
        for contract in try rows.contracts(index) {
            learn(contract)
            list.append(contract.key)
        }
        for key in lists[index]?.keys ?? [] { list.append(key) }
        list.isLoaded = true
        lists[index] = list
        if list.isFull(index) { fullLists.insert(index) }
    }

    /// Never replaces a change.
    public func learn(_ contract: TrackedContract) {
        if contracts[contract.key] == nil { contracts[contract.key] = .some(contract) }
    }

    /// Nothing for a contract that does not exist.
    public func facts(of key: ContractKey) throws -> OwnershipFacts {
        try facts.value(of: key) { try contract($0) == nil ? OwnershipFacts() : try rows.facts(of: $0) }
    }

    public func position(of event: EventKey) throws -> Int64? { try events.value(of: event, else: rows.position) }

    public func newestEvent(of key: ContractKey) throws -> Int64 { try rows.newestEvent(of: key) }

    public func order(_ token: OrderToken) throws -> Order? { try orders.value(of: token, else: rows.order) }

    public func orders(like request: OrderRequest) throws -> [Order] {
        try requests.value(of: request, else: rows.orders(like:))
    }

    public func isUsed(_ token: OrderToken) throws -> Bool { try used.value(of: token, else: rows.isUsed) }

    public func transfers(from source: TransferSource) throws -> [TransferTarget] {
        try transfers.value(of: source, else: rows.transfers)
    }

    public func locale(of user: UserID) throws -> UserLocale { try locales.value(of: user, else: rows.locale) }

    public func ending(of user: UserID) throws -> Int64 { try endings.value(of: user, else: rows.ending) }

    public func charges(_ name: ChargeName) throws -> [ContractKey: Charge] {
        try charges.value(of: name, else: rows.charges)
    }

    /// Those that the transaction has added, too.
    public func charges(of key: ContractKey) throws -> [String] {
        let stored = try rows.charges(of: key)
        return stored + (addedCharges[key] ?? []).filter { id in !stored.contains { $0.hasSameBytes(as: id) } }
    }

    public func isBuried(_ identity: ErasedIdentity) throws -> Bool {
        try tombstones.value(of: identity, else: rows.isBuried)
    }

    public func holdings(of user: UserID) throws -> UserHoldings {
        let found = try rows.holdings(of: user)
        for contract in found.contracts { learn(contract) }
        return found
    }
}

extension Dictionary {
    fileprivate mutating func value(of key: Key, else ask: (Key) throws -> Value) rethrows -> Value {
        if let known = self[key] { return known }
        let answer = try ask(key)
        self[key] = .some(answer)
        return answer
    }
}

/// Records changes, which the command writes when it is decided.
extension IdentityMap {
    func advance() -> Int64 {
        head += 1
        return head
    }

    func changed(_ contract: TrackedContract) {
        contracts[contract.key] = .some(contract)
        for index in ContractIndex.containing(contract) { list(contract.key, in: index) }
    }

    func changed(_ order: Order) {
        orders[order.token] = .some(order)
        requests = requests.filter { $0.key.user != order.user }
    }

    func removed(_ key: ContractKey) {
        contracts[key] = .some(nil)
        facts[key] = OwnershipFacts()
        charges = charges.mapValues { $0.filter { $0.key != key } }
        addedCharges[key] = nil
    }

    func changed(_ charge: Charge, of key: ContractKey) {
        let name = ChargeName(charge.id, of: key)
        if charges[name]?.updateValue(charge, forKey: key) == nil { addedCharges[key, default: []].append(charge.id) }
    }

    /// An erasure takes the user's orders out of the rows of charges that may have been read before. What earlier commands have
    /// changed is written.
    func forgetCharges() { (charges, addedCharges) = ([:], [:]) }

    func list(_ key: ContractKey, in index: ContractIndex) {
        lists[index, default: List()].append(key)
        if lists[index]?.isFull(index) == true { fullLists.insert(index) }
    }

    /// The changes of a command are written: the next one asks for full lists again.
    public func endCommand() {
        for index in fullLists { lists[index]?.isLoaded = false }
        fullLists = []
    }
}
