/// What the commands of a batch will probably read, as far as they tell by themselves. An engine that is far away asks for
/// it at once, before the first decision. It may be too much or too little, and changes no result.
public struct Preload: Sendable {
    private var events: Set<EventKey> = []
    private var contracts: Set<ContractKey> = []
    private var lists: Set<ContractIndex> = []
    private var orders: Set<OrderToken> = []
    private var requests: Set<OrderRequest> = []
    private var used: Set<OrderToken> = []
    private var transfers: Set<TransferSource> = []
    private var facts: Set<ContractKey> = []
    private var locales: Set<UserID> = []
    private var endings: Set<UserID> = []
    private var identities: Set<ErasedIdentity> = []
    private var charges: Set<ChargeName> = []

    public init() {}

    public mutating func add(_ incoming: IncomingEvent) {
        let event = incoming.event
        events.formUnion(([event] + event.lines).map { EventKey($0) })
        for observation in [event.observation].compactMap({ $0 }) + event.further { add(observation) }
        if let claim = incoming.claim {
            add(claim.user)
            if let order = claim.order { orders.insert(order) }
        }
        guard let alias = event.transfer else { return }
        for environment in alias.environments(of: event) {
            transfers.formUnion(alias.sources(provider: event.provider, environment: environment))
        }
    }

    private mutating func add(_ observation: Observation) {
        let key = observation.contract
        contracts.insert(key)
        identities.formUnion(observation.identities)
        lists.insert(.replacing(key))
        if let account = observation.account { lists.insert(.ofAccount(key.with(lineage: account))) }
        if let previous = observation.previousLineage { contracts.insert(key.with(lineage: previous)) }
        if key.lineBounds != nil { lists.insert(.lines(of: key)) }
        if let token = observation.token { orders.insert(token) }
        if let user = observation.user { add(user) }
        for charge in observation.charges { charges.insert(ChargeName(charge.id, of: key)) }
    }

    /// A user whose pages are told of a change.
    public mutating func add(_ user: UserID) {
        lists.insert(.held(by: user))
        locales.insert(user)
        identities.insert(.user(user))
    }

    public mutating func add(_ request: OrderRequest) {
        add(request.user)
        endings.insert(request.user)
        if let token = request.token {
            orders.insert(token)
            lists.insert(.bought(with: token))
            identities.insert(.order(token))
        } else {
            requests.insert(request)
        }
    }

    public mutating func add(localeOf user: UserID) { locales.insert(user) }

    public mutating func add(_ fragments: [Fragment], _ streams: StreamPattern) {
        locales.formUnion(fragments.filter(\.hasNoLanguage).compactMap { streams.user(of: $0.stream) })
    }

    /// Reads everything, and leaves it to the reader to remember it.
    public func read(from ledger: some LedgerRows) throws {
        for event in events { _ = try ledger.position(of: event) }
        for key in contracts { _ = try ledger.contract(key) }
        for list in lists { _ = try ledger.contracts(list) }
        for key in facts { _ = try ledger.facts(of: key) }
        for token in orders { _ = try ledger.order(token) }
        for request in requests { _ = try ledger.orders(like: request) }
        for token in used { _ = try ledger.isUsed(token) }
        for source in transfers { _ = try ledger.transfers(from: source) }
        for user in locales { _ = try ledger.locale(of: user) }
        for user in endings { _ = try ledger.ending(of: user) }
        for identity in identities { _ = try ledger.isBuried(identity) }
        for charge in charges { _ = try ledger.charges(charge) }
    }

    /// What follows from all that, once `ledger` knows it: the pages of those who hold the contracts, and what decides about
    /// the contracts' owners.
    public func next(after ended: [ContractKey], in ledger: IdentityMap) throws -> Preload {
        var next = Preload()
        for key in contracts.union(ended) {
            guard let contract = try ledger.contract(key) else { continue }
            next.facts.insert(key)
            // With what its app wants back.
            if let token = contract.contract.token?.value { next.orders.insert(token) }
            for user in contract.holders { next.add(user) }
        }
        for token in orders {
            if let order = try ledger.order(token) { next.add(order.user) }
        }
        for request in requests { next.used.formUnion(try ledger.orders(like: request).map(\.token)) }
        return next
    }
}
