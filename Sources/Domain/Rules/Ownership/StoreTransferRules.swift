extension UnitOfWork {
    /// Remembers a transfer that a store reports, and applies it. Contracts that arrive later follow it too.
    mutating func record(_ transfer: Transfer, incoming: IncomingEvent) throws -> CommitResult {
        let (transfer, incoming) = try withoutErasedUsers(transfer, incoming: incoming)
        let event = incoming.event
        var moved: [ContractChange] = []
        for environment in transfer.environments(of: event) { moved += try move(transfer, of: event, in: environment) }
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
        var moved: [ContractChange] = []
        for environment in transfer.environments(of: event) { moved += try move(transfer, of: event, in: environment) }
        for change in moved { try append(change, as: change.moveKind) }
        related += moved.map(\.current)
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
            if transfer.isAlias, try transfers(from: source).states(target) { continue }
            try add(target, from: source)
            losers.append(source.user)
        }
        guard !losers.isEmpty else { return [] }
        let reached = try reach(of: losers, provider: event.provider, environment: environment)
        let anonymous = losers.filter { event.provider.isAnonymous($0.text) }.map {
            ContractKey(provider: event.provider, environment: environment, app: event.app, lineage: $0.text)
        }
        var named = try contracts(statedTo: reached, provider: event.provider, environment: environment)
        for key in anonymous { named += try contracts(.ofAccount(key)) }
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
        var found: [TrackedContract] = []
        for list in named { found += try contracts(list) }
        for list in held {
            found += try contracts(list).filter {
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
                waiting += try transfers(from: source).map(\.user)
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
