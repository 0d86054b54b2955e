import Domain

extension WriterLoop {
    mutating func add(_ command: LedgerCommand, to batch: inout Batch, at now: Instant) throws(EngineError) {
        switch command {
        case .led(let command, let lease):
            guard try holds(lease, in: &batch) else { return batch.completions.append { command.refuse(.busy) } }
            try add(command, to: &batch, at: now)
        case .unchanged(let user, let position, let command):
            guard try repository.isUnchanged(user, since: position) else {
                return batch.completions.append { command.refuse(.changed) }
            }
            try add(command, to: &batch, at: now)
        case .audited(let command, let act):
            repository.act = act
            defer { repository.act = nil }
            try add(command, to: &batch, at: now)
        default:
            let counts = counts
            let result = try run(isolated: batch.isIsolating) { repository throws(EngineError) in
                try repository.perform(command, counts: counts, now: now)
            }
            // After the commit, which remembers what was decided by the former policy.
            if case .policy = command { batch.completions.append { [states] in states?.forget() } }
            switch result {
            case .success(let commit):
                batch.done.add(commit)
                batch.completions.append(commit.value)
            case .failure(let error): batch.completions.append { command.refuse(error) }
            }
        }
    }
}

extension LedgerRepository {
    /// The value tells whoever gave the command, after COMMIT.
    fileprivate mutating func perform(
        _ command: LedgerCommand,
        counts: LedgerMetrics,
        now: Instant
    ) throws(EngineError) -> Commit<() -> Void> {
        switch command {
        case .event(let event, let claim, let receivedAt, let completion):
            let commit = try record(IncomingEvent(event, claim: claim, receivedAt: receivedAt), now: now)
            return commit.map { result in
                {
                    counts.count(result.outcome, of: event.provider)
                    completion(.success(result))
                }
            }
        case .order(let request, let completion):
            return try place(request, now: now).map { order in
                { completion(order.map { .success($0) } ?? .failure(.tokenTaken)) }
            }
        case .language(let language, let user, let completion):
            return try setLanguage(language, of: user, now: now).telling(completion)
        case .broadcast(let fragments, let completion):
            return try broadcast(fragments, now: now).telling(completion)
        case .broadcastOnce(let fragments, let request, let completion):
            return try broadcast(fragments, once: request, now: now).telling(completion)
        case .broadcastsLost(let completion): return try recordLostBroadcasts(now: now).telling(completion)
        case .job(let job, let result, let completion):
            return try end(job, result: result, now: now).telling(completion)
        case .hooks(let answered, let endsOutage, let completion):
            return try end(answered, endsOutage: endsOutage, now: now).telling(completion)
        case .resendHook(let id, let completion): return try resendHook(id, now: now).telling(completion)
        case .nameHooks(let addresses, let completion): return try nameHooks(addresses, now: now).telling(completion)
        case .saveCheckpoint(let name, let instant, let completion):
            return try saveCheckpoint(name, at: instant).telling(completion)
        case .replay(let stored, let isTrial, let completion):
            return try replay(stored, isTrial: isTrial, now: now).telling(completion)
        case .rebroadcast(let contracts, let users, let completion):
            return try rebroadcast(contracts: contracts, users: users, now: now).telling(completion)
        case .erase(let user, let completion): return try erase(user, now: now).telling(completion)
        case .emptyOld(let instant, let completion): return try emptyOld(before: instant).telling(completion)
        case .note(let act, let completion): return try note(act, at: now).telling(completion)
        case .policy(let policy):
            adopt(policy)
            return Commit(value: {})
        // `WriterLoop.add` has unwrapped these.
        case .led(let command, _), .audited(let command, _), .unchanged(_, _, let command):
            return try perform(command, counts: counts, now: now)
        }
    }
}

extension Commit {
    fileprivate func telling(_ completion: @escaping (Result<Value, LedgerError>) -> Void) -> Commit<() -> Void> {
        map { value in { completion(.success(value)) } }
    }
}

extension Commit<Void> {
    fileprivate func telling(_ completion: @escaping (Bool) -> Void) -> Commit<() -> Void> {
        map { _ in { completion(true) } }
    }
}

/// The commands of one transaction.
struct Batch {
    let isIsolating: Bool
    /// The changes of all that have succeeded.
    var done = Commit(value: ())
    /// They run after COMMIT.
    var completions: [() -> Void] = []
    /// All contracts without a user.
    var unclaimed = 0
    var endsAreServed = true
    /// Those that were asked about.
    var leases: [Lease: Bool] = [:]
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
        case .led(let command, _), .audited(let command, _), .unchanged(_, _, let command):
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
        case .led(let command, _), .audited(let command, _), .unchanged(_, _, let command): command.refuse(error)
        case .note(_, let completion): completion(.failure(error))
        case .policy: break
        case .replay(_, _, let completion): completion(.failure(error))
        case .rebroadcast(_, _, let completion): completion(.failure(error))
        }
    }
}
