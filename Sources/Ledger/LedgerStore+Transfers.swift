internal import Domain

extension LedgerStore {
    /// How many users one transfer can concern, however long the chain.
    private static let reachLimit = 100

    /// Remembers a transfer that a store reports, and moves what it moves. Contracts that arrive later follow it too.
    func record(_ transfer: Transfer, _ incoming: IncomingEvent) throws(SQLiteError) -> Commit<CommitResult> {
        let event = incoming.event
        let environments: [StoreEnvironment] = transfer.isEverywhere ? [.production, .sandbox] : [event.environment]
        var changes: [ContractChange] = []
        for environment in environments { changes += try move(transfer, in: environment, incoming) }
        var notice = Notice(kind: event.kind)
        notice.user = transfer.to
        guard var first = changes.first else { return try file(incoming, .ignored, notice, [], contract: nil) }
        first.kind = event.kind
        let (fragments, active) = try announce(first)
        notice = Notice(kind: event.kind, first, active: active)
        var commit = try file(incoming, .applied, notice, fragments, contract: first.current.id)
        for change in changes.dropFirst() {
            try append(change, as: event.kind, to: &commit, at: incoming.now)
        }
        for change in changes { try resolveOwners(of: dependents(of: change.current), into: &commit, at: incoming.now) }
        return commit
    }

    private func move(
        _ transfer: Transfer,
        in environment: StoreEnvironment,
        _ incoming: IncomingEvent
    ) throws(SQLiteError) -> [ContractChange] {
        let scope: [Value] = [Value(incoming.event.provider), Value(environment)]
        for user in transfer.from.prefix(LedgerStore.reachLimit) where user != transfer.to {
            let values: [Value] = [Value(user)] + scope + [Value(incoming.event.signedAt), Value(transfer.to)]
            try statements.insertTransfer.run(values)
        }
        var changes: [ContractChange] = []
        for user in try reach(of: transfer.from, scope) {
            for row in try statements.contractsOfStoreUser.all([Value(user)] + scope, read: contractRow) {
                if let change = try resolveOwnerAgain(of: row, at: incoming.now) { changes.append(change) }
            }
        }
        return changes
    }

    /// The users who lose something, and those to whom it may have moved on since.
    private func reach(of users: [UserID], _ scope: [Value]) throws(SQLiteError) -> [UserID] {
        var reached: [UserID] = []
        var waiting = users
        while let user = waiting.popLast(), reached.count < LedgerStore.reachLimit {
            guard !reached.contains(user) else { continue }
            reached.append(user)
            waiting += try statements.transferredTo.all([Value(user)] + scope) { row in row.user(0) }
        }
        return reached
    }
}
