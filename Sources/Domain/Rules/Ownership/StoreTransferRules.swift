extension UnitOfWork {
    /// Remembers a transfer that a store reports, and applies it. Contracts that arrive later follow it too.
    mutating func record(_ transfer: Transfer, incoming: IncomingEvent) throws -> CommitResult {
        let (transfer, incoming) = try withoutErasedUsers(transfer, incoming: incoming)
        let event = incoming.event
        let moved = try move(transfer, of: event)
        guard var first = moved.first else {
            var notice = Notice(kind: event.kind)
            notice.user = transfer.to
            return try file(incoming, outcome: .ignored, notice: notice)
        }
        let kind = transfer.isAlias ? first.moveKind : event.kind
        first.kind = kind
        let notice = Notice(kind: kind, change: first)
        let result = try file(incoming, outcome: .applied, notice: notice, contract: first.key, change: first)
        for change in moved.dropFirst() { try append(change, as: transfer.isAlias ? change.moveKind : event.kind) }
        related += moved.map(\.current)
        return result
    }

    /// Remembers a transfer that an event states beside its contract, in entries of their own.
    mutating func follow(_ transfer: Transfer, of event: Event) throws {
        let moved = try move(transfer, of: event)
        for change in moved { try append(change, as: change.moveKind) }
        related += moved.map(\.current)
    }

    private mutating func move(_ transfer: Transfer, of event: Event) throws -> [ContractChange] {
        try transfer.environments(of: event).flatMap { try move(transfer, of: event, in: $0) }
    }

    private mutating func move(
        _ transfer: Transfer,
        of event: Event,
        in environment: StoreEnvironment
    ) throws -> [ContractChange] {
        let target = TransferTarget(at: event.signedAt, user: transfer.to)
        let sources = transfer.sources(provider: event.provider, environment: environment)
        var losers: [UserID] = []
        // Events repeat aliases for years, and only the first of these statements is news.
        for source in sources {
            if transfer.isAlias, try ledger.transfers(from: source).states(target) { continue }
            try add(target, from: source)
            losers.append(source.user)
        }
        guard !losers.isEmpty else { return [] }
        let reached = try reach(of: losers, provider: event.provider, environment: environment)
        let anonymous = losers.filter { event.provider.isAnonymous($0.text) }.map {
            ContractKey(provider: event.provider, environment: environment, app: event.app, lineage: $0.text)
        }
        var named = try contracts(statedTo: reached, provider: event.provider, environment: environment)
        for key in anonymous { named += try ledger.contracts(.ofAccount(key)) }
        // The first change stands for the event, whatever order they were loaded in.
        named.sort { $0.key.lineage.utf8.lexicographicallyPrecedes($1.key.lineage.utf8) }
        var moved: [ContractChange] = []
        for contract in named {
            if let change = try resolveOwnerAgain(of: contract.key) { moved.append(change) }
        }
        return moved
    }

    /// The contracts that users own because the store says so, of them or of ids that it made up for them.
    func contracts(
        statedTo users: [UserID],
        provider: Provider,
        environment: StoreEnvironment
    ) throws -> [TrackedContract] {
        let named = users.map { ContractIndex.named($0, provider: provider, environment: environment) }
        let held = provider.makesUpIDs ? users.map { ContractIndex.held(by: $0) } : []
        var found = try named.flatMap { try ledger.contracts($0) }
        for list in held {
            found += try ledger.contracts(list).filter {
                $0.contract.storeUser == nil && $0.contract.statedBuyer != nil && $0.key.provider == provider
                    && $0.key.environment == environment
            }
        }
        return found
    }

    /// The users who lose something, and those to whom it may have moved on since.
    func reach(
        of users: [UserID],
        provider: Provider,
        environment: StoreEnvironment
    ) throws -> [UserID] {
        var reached: [UserID] = []
        var waiting = users
        while let user = waiting.popLast(), reached.count < UnitOfWork.reachLimit {
            guard !reached.contains(user) else { continue }
            reached.append(user)
            let isAnonymous = provider.isAnonymous(user.text)
            for isAlias in isAnonymous ? [false, true] : [false] {
                let source = TransferSource(user: user, provider: provider, environment: environment, isAlias: isAlias)
                waiting += try ledger.transfers(from: source).map(\.user)
            }
        }
        return reached
    }

    /// The number of users that one transfer can concern, however long the chain.
    static let reachLimit = 100
}

extension Transfer {
    func environments(of event: Event) -> [StoreEnvironment] {
        isEverywhere ? [.production, .sandbox] : [event.environment]
    }

    /// Whose contracts move.
    func sources(provider: Provider, environment: StoreEnvironment) -> [TransferSource] {
        from.prefix(UnitOfWork.reachLimit).filter { $0 != to }.map {
            TransferSource(user: $0, provider: provider, environment: environment, isAlias: isAlias)
        }
    }
}

/// A user who lost contracts at one store, or an id that the store made up for a user.
public struct TransferSource: Hashable, Sendable {
    public var user: UserID
    public var provider: Provider
    public var environment: StoreEnvironment
    /// True for the users to whom a made-up id belongs, false for those to whom contracts were transferred.
    public var isAlias: Bool

    public init(user: UserID, provider: Provider, environment: StoreEnvironment, isAlias: Bool = false) {
        self.user = user
        self.provider = provider
        self.environment = environment
        self.isAlias = isAlias
    }
}

extension TransferSource {
    /// The user at the store of a contract.
    init(_ user: UserID, at key: ContractKey, isAlias: Bool = false) {
        self.init(user: user, provider: key.provider, environment: key.environment, isAlias: isAlias)
    }
}

/// The user who received a user's contracts, and the date that the store gives for it.
public struct TransferTarget: Hashable, Sendable {
    public var at: Instant
    public var user: UserID

    public init(at: Instant, user: UserID) {
        self.at = at
        self.user = user
    }
}

extension TransferTarget: Comparable {
    public static func < (left: TransferTarget, right: TransferTarget) -> Bool {
        (left.at, left.user) < (right.at, right.user)
    }
}

/// The targets of one source, in their order.
extension [TransferTarget] {
    func first(since instant: Instant) -> TransferTarget? {
        let index = boundary { $0.at >= instant }
        return index < endIndex ? self[index] : nil
    }

    /// True if a statement about the same user that is not newer is already there.
    func states(_ target: TransferTarget) -> Bool {
        contains { $0.user == target.user && $0.at <= target.at }
    }

    /// The user who was named last for the first time: events repeat the others for years.
    var newestUser: TransferTarget? {
        var firsts: [UserID: TransferTarget] = [:]
        for target in self { firsts[target.user] = Swift.min(firsts[target.user] ?? target, target) }
        return firsts.values.max()
    }

    /// Returns false if it is already there.
    mutating func insert(_ target: TransferTarget) -> Bool {
        let index = boundary { !($0 < target) }
        guard index == endIndex || self[index] != target else { return false }
        insert(target, at: index)
        return true
    }

    /// The first element that is reached, or the end. If one is reached, so are all that follow it.
    private func boundary(isReached: (TransferTarget) -> Bool) -> Int {
        var lower = startIndex
        var upper = endIndex
        while lower < upper {
            let middle = (lower + upper) / 2
            if isReached(self[middle]) { upper = middle } else { lower = middle + 1 }
        }
        return lower
    }
}
