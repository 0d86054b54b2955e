internal import Domain

extension WriterLoop {
    /// Returns the change in the number of contracts without a user.
    mutating func add(_ command: LedgerCommand, to batch: inout Batch, at now: Instant) throws(EngineError) -> Int {
        switch command {
        case .event(let event, let claim, let receivedAt, let completion):
            let incoming = IncomingEvent(event, claim: claim, receivedAt: receivedAt)
            return try perform(&batch, then: counted(completion, of: event.provider)) {
                repository throws(EngineError) in
                try repository.record(incoming, now: now)
            }
        case .order(let request, let completion):
            return try perform(&batch, then: placed(completion)) { repository throws(EngineError) in
                try repository.place(request, now: now)
            }
        case .language(let language, let user, let completion):
            return try perform(&batch, then: completion) { repository throws(EngineError) in
                try repository.setLanguage(language, of: user, now: now)
            }
        case .broadcast(let fragments, let completion):
            return try perform(&batch, then: completion) { repository throws(EngineError) in
                try repository.broadcast(fragments, now: now)
            }
        case .broadcastOnce(let fragments, let request, let completion):
            return try perform(&batch, then: completion) { repository throws(EngineError) in
                try repository.broadcast(fragments, once: request, now: now)
            }
        case .broadcastsLost(let completion):
            return try perform(&batch, then: completion) { repository throws(EngineError) in
                try repository.recordLostBroadcasts(now: now)
            }
        case .job(let job, let result, let completion):
            return try perform(&batch, then: succeeded(completion)) { repository throws(EngineError) in
                try repository.end(job, result: result, now: now)
            }
        case .hooks(let answered, let endsOutage, let completion):
            return try perform(&batch, then: succeeded(completion)) { repository throws(EngineError) in
                try repository.end(answered, endsOutage: endsOutage, now: now)
            }
        case .resendHook(let id, let completion):
            return try perform(&batch, then: succeeded(completion)) { repository throws(EngineError) in
                try repository.resendHook(id, now: now)
            }
        case .nameHooks(let addresses, let completion):
            return try perform(&batch, then: succeeded(completion)) { repository throws(EngineError) in
                try repository.nameHooks(addresses, now: now)
            }
        case .saveCheckpoint(let name, let instant, let completion):
            return try perform(&batch, then: succeeded(completion)) { repository throws(EngineError) in
                try repository.saveCheckpoint(name, at: instant)
            }
        case .replay(let stored, let isTrial, let completion):
            return try perform(&batch, then: completion) { repository throws(EngineError) in
                try repository.replay(stored, isTrial: isTrial, now: now)
            }
        case .rebroadcast(let contracts, let users, let completion):
            return try perform(&batch, then: completion) { repository throws(EngineError) in
                try repository.rebroadcast(contracts: contracts, users: users, now: now)
            }
        case .erase(let user, let completion):
            return try perform(&batch, then: completion) { repository throws(EngineError) in
                try repository.erase(user, now: now)
            }
        case .emptyOld(let instant, let completion):
            return try perform(&batch, then: completion) { repository throws(EngineError) in
                try repository.emptyOld(before: instant)
            }
        case .led(let command, let lease):
            guard try holds(lease, in: &batch) else {
                batch.completions.append { command.refuse(.busy) }
                return 0
            }
            return try add(command, to: &batch, at: now)
        case .audited(let command, let act):
            repository.act = act
            defer { repository.act = nil }
            return try add(command, to: &batch, at: now)
        case .note(let act, let completion):
            return try perform(&batch, then: completion) { repository throws(EngineError) in
                try repository.note(act, at: now)
            }
        case .policy(let policy):
            // After the commit, which remembers what was decided by the former policy.
            return try perform(&batch, then: { [states] _ in states?.forget() }) { repository throws(EngineError) in
                repository.adopt(policy)
                return Commit(value: ())
            }
        }
    }

    /// Returns the change in the number of contracts without a user; `then` is called after COMMIT.
    private mutating func perform<Value>(
        _ batch: inout Batch,
        then: @escaping (Result<Value, LedgerError>) -> Void,
        work: (inout LedgerRepository) throws(EngineError) -> Commit<Value>
    ) throws(EngineError) -> Int {
        let result = try run(isolated: batch.isIsolating, body: work)
        batch.completions.append { then(result.map(\.value)) }
        return batch.take(result)
    }

    private func counted(
        _ completion: @escaping (Result<CommitResult, LedgerError>) -> Void,
        of provider: Provider
    ) -> (Result<CommitResult, LedgerError>) -> Void {
        { [counts] result in
            if let outcome = result.success?.outcome { counts.count(outcome, of: provider) }
            completion(result)
        }
    }
}

private func placed(
    _ completion: @escaping (Result<OrderResult, OrderError>) -> Void
) -> (Result<OrderResult?, LedgerError>) -> Void {
    { result in
        completion(result.mapError { .ledger($0) }.flatMap { $0.map { .success($0) } ?? .failure(.tokenTaken) })
    }
}

private func succeeded(_ completion: @escaping (Bool) -> Void) -> (Result<Void, LedgerError>) -> Void {
    { result in completion(result.success != nil) }
}

/// Completions, which run after COMMIT.
struct Batch {
    let isIsolating: Bool
    var entries: [Entry] = []
    var readers: [UserID] = []
    var completions: [() -> Void] = []
    var unclaimed = 0
    var endsAreServed = true
    /// Those that were asked about.
    var leases: [Lease: Bool] = [:]

    init(isIsolating: Bool) {
        self.isIsolating = isIsolating
    }

    /// Returns the change in the number of contracts without a user.
    mutating func take<Value>(_ result: Result<Commit<Value>, LedgerError>) -> Int {
        guard let commit = result.success else { return 0 }
        entries += commit.entries
        readers += commit.readers
        return commit.unclaimed
    }
}

extension Result {
    var success: Success? { try? get() }
}

extension LedgerCommand {
    /// Adds what it will probably read. An operator's commands come alone, and read for themselves.
    func add(to preload: inout Preload, keys: inout [IdempotencyKey], streams: StreamPattern) {
        switch self {
        case .event(let event, let claim, let receivedAt, _):
            preload.add(IncomingEvent(event, claim: claim, receivedAt: receivedAt))
        case .order(let request, _): preload.add(request)
        case .language(_, let user, _): preload.add(languageOf: user)
        case .broadcast(let fragments, _): preload.add(fragments, streams)
        case .broadcastOnce(let fragments, let request, _):
            preload.add(fragments, streams)
            keys.append(request.key)
        case .led(let command, _), .audited(let command, _):
            command.add(to: &preload, keys: &keys, streams: streams)
        case .broadcastsLost, .job, .hooks, .resendHook, .nameHooks, .saveCheckpoint, .replay, .rebroadcast, .erase,
            .emptyOld, .note, .policy:
            break
        }
    }

    func refuse(_ error: LedgerError) {
        switch self {
        case .event(_, _, _, let completion): completion(.failure(error))
        case .order(_, let completion): completion(.failure(.ledger(error)))
        case .language(_, _, let completion): completion(.failure(error))
        case .broadcast(_, let completion): completion(.failure(error))
        case .broadcastOnce(_, _, let completion): completion(.failure(error))
        case .broadcastsLost(let completion): completion(.failure(error))
        case .job(_, _, let completion), .saveCheckpoint(_, _, let completion), .hooks(_, _, let completion),
            .resendHook(_, let completion), .nameHooks(_, let completion):
            completion(false)
        case .erase(_, let completion): completion(.failure(error))
        case .emptyOld(_, let completion): completion(.failure(error))
        case .led(let command, _), .audited(let command, _): command.refuse(error)
        case .note(_, let completion): completion(.failure(error))
        case .policy: break
        case .replay(_, _, let completion): completion(.failure(error))
        case .rebroadcast(_, _, let completion): completion(.failure(error))
        }
    }
}
