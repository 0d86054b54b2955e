@testable import Domain

/// A ledger's engine without a database. It shows what the rules ask of one: to answer what they read, and to write what
/// they return.
final class MemoryEngine {
    private let policy: AccessPolicy
    private var head: Int64 = 0
    /// How often the newest decision has asked.
    private(set) var reads = 0
    /// In the order in which they were written first.
    private var contracts: [TrackedContract] = []
    private var places: [ContractKey: Int] = [:]
    private var facts: [ContractKey: OwnershipFacts] = [:]
    private var events: [EventKey: Int64] = [:]
    private var newestEvents: [ContractKey: Int64] = [:]
    /// In the order in which they were made.
    private var orders: [Order] = []
    private var used: Set<OrderToken> = []
    private var transfers: [TransferSource: [TransferTarget]] = [:]
    private var locales: [UserID: UserLocale] = [:]
    private var endings: [UserID: Int64] = [:]
    private var tombstones: Set<ErasedIdentity> = []
    private var charges: [ContractKey: [Charge]] = [:]

    init(policy: AccessPolicy) {
        self.policy = policy
    }

    /// Returns the entries of the decision.
    func decide(at now: Instant, by decision: (inout UnitOfWork) throws -> Void) throws -> [Entry] {
        reads = 0
        let known = IdentityMap(self, head: head)
        var unit = UnitOfWork(known, policy: policy, streams: .standard, epoch: "memory", now: now)
        try decision(&unit)
        try unit.settle()
        let changes = try unit.finish()
        write(changes)
        return changes.entries.map(\.entry)
    }

    /// The contracts whose access has to end, in the order of their ends.
    func ended(by now: Instant) -> [ContractKey] {
        let ended = contracts.filter { $0.endsAt.map { $0 <= now } ?? false }
        return ended.sorted { ($0.endsAt?.milliseconds ?? 0) < ($1.endsAt?.milliseconds ?? 0) }.map(\.key)
    }
}

extension MemoryEngine: LedgerRows {
    private func read<Value>(_ value: Value) -> Value {
        reads += 1
        return value
    }

    func position(of event: EventKey) -> Int64? { read(events[event]) }
    func newestEvent(of key: ContractKey) -> Int64 { read(newestEvents[key] ?? 0) }
    func contract(_ key: ContractKey) -> TrackedContract? { read(places[key].map { contracts[$0] }) }
    func contracts(_ index: ContractIndex) -> [TrackedContract] { read(contracts(of: index)) }
    func facts(of key: ContractKey) -> OwnershipFacts { read(facts[key] ?? OwnershipFacts()) }
    func order(_ token: OrderToken) -> Order? { read(orders.first { $0.token == token }) }
    func orders(like request: OrderRequest) -> [Order] {
        read(Array(orders.reversed().filter { $0.isLike(request) }.prefix(Order.likeLimit)))
    }
    func isUsed(_ token: OrderToken) -> Bool { read(used.contains(token)) }
    func transfers(from source: TransferSource) -> [TransferTarget] { read(transfers[source] ?? []) }
    func locale(of user: UserID) -> UserLocale { read(locales[user] ?? .unknown) }
    func ending(of user: UserID) -> Int64 { read(endings[user] ?? 0) }
    func isBuried(_ identity: ErasedIdentity) -> Bool { read(tombstones.contains(identity)) }
    func charges(_ name: ChargeName) -> [ContractKey: Charge] {
        read(
            charges.reduce(into: [:]) { found, known in
                found[known.key] = known.value.first { ChargeName($0.id, of: known.key) == name }
            }
        )
    }
    func charges(of key: ContractKey) -> [String] { read(charges[key, default: []].map(\.id).sorted()) }

    func holdings(of user: UserID) -> UserHoldings {
        let owned = Set(orders.filter { $0.user == user }.map(\.token))
        let found = contracts.filter { contract in
            let facts = facts[contract.key] ?? OwnershipFacts()
            return contract.holders.contains(user) || contract.unasked?.user == user
                || facts.claims.contains { $0.user == user }
                || !owned.isDisjoint(with: facts.tokens.keys)
        }
        return (contracts: found, orders: Array(owned), losses: transfers.keys.filter { $0.user == user })
    }

    private func contracts(of index: ContractIndex) -> [TrackedContract] {
        var found: [TrackedContract]
        if case .bought(let token) = index {
            found = contracts.filter { facts[$0.key]?.tokens[token] != nil }
        } else {
            found = contracts.filter { index.contains($0) }
        }
        if case .lines = index {
            found.sort { $0.key.lineage.utf8.lexicographicallyPrecedes($1.key.lineage.utf8) }
        }
        return index.limit.map { Array(found.prefix($0)) } ?? found
    }

    private func forget(_ erasure: ErasureRecord) {
        let bought = Set(orders.filter { $0.user == erasure.user }.map(\.token))
        charges = charges.mapValues { $0.map { $0.without(bought) } }
        orders.removeAll { $0.user == erasure.user }
        locales[erasure.user] = nil
        transfers = transfers.filter { $0.key.user != erasure.user }
            .mapValues { $0.filter { $0.user != erasure.user } }
        contracts.removeAll { erasure.contracts.contains($0.key) }
        for key in erasure.contracts { (facts[key], charges[key]) = (nil, nil) }
        for key in facts.keys { facts[key]?.claims.removeAll { $0.user == erasure.user } }
        places = Dictionary(uniqueKeysWithValues: contracts.enumerated().map { ($1.key, $0) })
    }

    private func write(_ changes: Changes) {
        if let erasure = changes.erasure { forget(erasure) }
        tombstones.subtract(changes.lifted)
        tombstones.formUnion(changes.buried)
        for change in changes.contracts { write(change.current) }
        used.formUnion(changes.tokens.map(\.token))
        used.formUnion(
            changes.entries.filter { $0.entry.notice.outcome == .quarantined }.compactMap(\.entry.notice.order)
        )
        for record in changes.tokens {
            facts[record.contract, default: OwnershipFacts()].tokens[record.token] = record.dates
        }
        for record in changes.claims {
            facts[record.contract, default: OwnershipFacts()].claims.removeAll { $0.user == record.claim.user }
            facts[record.contract, default: OwnershipFacts()].claims.append(record.claim)
        }
        for record in changes.charges {
            charges[record.contract, default: []].removeAll { $0.id.hasSameBytes(as: record.charge.id) }
            charges[record.contract, default: []].append(record.charge)
        }
        for record in changes.transfers { transfers[record.source, default: []].append(record.target) }
        for source in Set(changes.transfers.map { $0.source }) { transfers[source]?.sort() }
        orders += changes.orders
        for order in changes.changedOrders {
            if let index = orders.firstIndex(where: { $0.token == order.token }) { orders[index] = order }
        }
        for record in changes.locales { locales[record.user] = record.locale }
        for record in changes.endedPages { endings[record.user] = record.position }
        head = changes.entries.last?.entry.position ?? head
        for filed in changes.events {
            events[EventKey(filed.event)] = filed.position
            if let key = filed.contract { newestEvents[key] = filed.position }
        }
    }

    private func write(_ current: TrackedContract) {
        if let place = places[current.key] {
            contracts[place] = current
        } else {
            places[current.key] = contracts.count
            contracts.append(current)
        }
    }
}

extension Order {
    fileprivate func isLike(_ request: OrderRequest) -> Bool {
        user == request.user && product == request.product && provider == request.provider
            && group == request.group && kind == request.kind && context == request.context
    }
}

extension Charge {
    fileprivate func without(_ orders: Set<OrderToken>) -> Charge {
        guard let token = terms?.order, orders.contains(token) else { return self }
        var charge = self
        charge.terms?.order = nil
        return charge
    }
}
