internal import Domain

extension UnitOfWork {
    /// The number of users that one transfer can concern, however long the chain.
    private static let reachLimit = 100

    /// Remembers a transfer that a store reports, and applies it. Contracts that arrive later follow it too.
    mutating func record(_ transfer: Transfer, incoming: IncomingEvent) throws(Missing) -> CommitResult {
        let (transfer, incoming) = try withoutErasedUsers(transfer, incoming: incoming)
        let event = incoming.event
        let environments: [StoreEnvironment] = transfer.isEverywhere ? [.production, .sandbox] : [event.environment]
        var moved: [ContractChange] = []
        for environment in environments { moved += try move(transfer, of: event, in: environment) }
        guard var first = moved.first else {
            var notice = Notice(kind: event.kind)
            notice.user = transfer.to
            return try file(incoming, outcome: .ignored, notice: notice)
        }
        first.kind = event.kind
        let notice = Notice(kind: event.kind, change: first)
        let result = try file(incoming, outcome: .applied, notice: notice, contract: first.key, change: first)
        for change in moved.dropFirst() { try append(change, as: event.kind) }
        related += moved.map(\.current)
        return result
    }

    private mutating func move(
        _ transfer: Transfer,
        of event: Event,
        in environment: StoreEnvironment
    ) throws(Missing) -> [ContractChange] {
        let losers = transfer.from.prefix(UnitOfWork.reachLimit).filter { $0 != transfer.to }
        let sources = losers.map {
            TransferSource(user: $0, provider: event.provider, environment: environment)
        }
        try demand(sources.map { .transfers($0) })
        for source in sources { try add(TransferTarget(at: event.signedAt, user: transfer.to), from: source) }
        let lists = try reach(of: transfer.from, provider: event.provider, environment: environment).map {
            ContractIndex.named($0, provider: event.provider, environment: environment)
        }
        try demand(lists.map { .contracts($0) })
        var named: [TrackedContract] = []
        for list in lists { named += try contracts(list) }
        // The first change stands for the event, whatever order they were loaded in.
        named.sort { $0.key.lineage.utf8.lexicographicallyPrecedes($1.key.lineage.utf8) }
        try demandWhatDecides(named)
        var moved: [ContractChange] = []
        for contract in named {
            if let change = try resolveOwnerAgain(of: contract.key) { moved.append(change) }
        }
        return moved
    }

    /// The users who lose something, and those to whom it may have moved on since.
    func reach(
        of users: [UserID],
        provider: Provider,
        environment: StoreEnvironment
    ) throws(Missing) -> [UserID] {
        var reached: [UserID] = []
        var waiting = users
        while let user = waiting.popLast(), reached.count < UnitOfWork.reachLimit {
            guard !reached.contains(user) else { continue }
            reached.append(user)
            let source = TransferSource(user: user, provider: provider, environment: environment)
            waiting += try transfers(from: source).map(\.user)
        }
        return reached
    }
}
