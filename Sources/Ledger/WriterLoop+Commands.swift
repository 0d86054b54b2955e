internal import Domain
internal import Runtime

extension WriterLoop {
    /// Returns how many more contracts have no user.
    func add(_ command: LedgerCommand, to batch: inout Batch, _ now: Instant) throws(SQLiteError) -> Int {
        switch command {
        case .event(let event, let claim, let receivedAt, let completion):
            let result = try run(batch.isIsolating) { store throws(SQLiteError) in
                try store.record(Arrival(event: event, claim: claim, receivedAt: receivedAt, now: now))
            }
            let counts = counts
            batch.completions.append {
                if let outcome = result.success?.value.outcome { counts.count(outcome, of: event.provider) }
                completion(result.map(\.value))
            }
            return batch.take(result)
        case .order(let request, let completion):
            let result = try run(batch.isIsolating) { store throws(SQLiteError) in
                let commit = try store.place(request, now: now)
                return Commit(
                    value: commit?.value,
                    entries: commit?.entries ?? [],
                    unclaimed: commit?.unclaimed ?? 0
                )
            }
            batch.completions.append { completion(answer(result)) }
            return batch.take(result)
        case .broadcast(let fragments, let completion):
            let result = try run(batch.isIsolating) { store throws(SQLiteError) in
                try store.broadcast(fragments, now: now)
            }
            batch.completions.append { completion(result.map(\.value)) }
            return batch.take(result)
        case .errand(let errand, let outcome):
            return batch.take(
                try run(batch.isIsolating) { store throws(SQLiteError) in try store.end(errand, outcome, now: now) }
            )
        case .mark(let name, let instant, let completion):
            let result = try run(batch.isIsolating) { store throws(SQLiteError) in try store.mark(name, instant) }
            batch.completions.append { completion(result.success != nil) }
            return batch.take(result)
        case .replay(let events, let mode, let completion):
            let result = try run(batch.isIsolating) { store throws(SQLiteError) in
                try store.replay(events, mode, now: now)
            }
            batch.completions.append { completion(result.map(\.value)) }
            return batch.take(result)
        }
    }
}

/// What is said after COMMIT.
struct Batch {
    let isIsolating: Bool
    var entries: [Entry] = []
    var completions: [() -> Void] = []
    var unclaimed = 0
    var endsAreServed = true

    init(isIsolating: Bool) {
        self.isIsolating = isIsolating
    }

    /// Returns how many more contracts have no user.
    mutating func take<Value>(_ result: Result<Commit<Value>, LedgerError>) -> Int {
        guard let commit = result.success else { return 0 }
        entries += commit.entries
        return commit.unclaimed
    }
}

private func answer(_ result: Result<Commit<OrderReceipt?>, LedgerError>) -> Result<OrderReceipt, OrderError> {
    switch result {
    case .success(let commit): commit.value.map { .success($0) } ?? .failure(.tokenTaken)
    case .failure(let error): .failure(.ledger(error))
    }
}

extension Result {
    var success: Success? { try? get() }
}

extension LedgerCommand {
    func refuse(_ error: LedgerError) {
        switch self {
        case .event(_, _, _, let completion): completion(.failure(error))
        case .order(_, let completion): completion(.failure(.ledger(error)))
        case .broadcast(_, let completion): completion(.failure(error))
        case .errand: break
        case .mark(_, _, let completion): completion(false)
        case .replay(_, _, let completion): completion(.failure(error))
        }
    }
}
