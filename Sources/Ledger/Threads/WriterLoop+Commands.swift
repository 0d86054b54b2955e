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
            case .success(let tell): batch.completions.append(tell)
            case .failure(let error): batch.completions.append { command.refuse(error) }
            }
        }
    }
}

extension LedgerRepository {
    /// Returns what tells whoever gave the command, after COMMIT.
    fileprivate mutating func perform(
        _ command: LedgerCommand,
        counts: LedgerMetrics,
        now: Instant
    ) throws(EngineError) -> () -> Void {
        switch command {
        case .event(let event, let claim, let receivedAt, let completion):
            let incoming = IncomingEvent(event, claim: claim, receivedAt: receivedAt)
            let result = try decide(at: now) { try $0.record(incoming) }
            return {
                counts.count(result.outcome, of: event)
                completion(.success(result))
            }
        case .order(let request, let completion):
            let order = try decide(at: now) { try $0.place(request, token: .random()) }
            return { completion(order.map { .success($0) } ?? .failure(.tokenTaken)) }
        case .locale(let locale, let user, let completion):
            return telling(completion, try decide(at: now) { try $0.setLocale(locale, of: user) })
        case .broadcast(let fragments, let completion):
            return telling(completion, try decide(at: now) { try $0.broadcast(fragments) })
        case .broadcastOnce(let fragments, let request, let completion):
            return telling(completion, try broadcast(fragments, once: request, now: now))
        case .broadcastsLost(let completion):
            return telling(completion, try decide(at: now) { try $0.recordLostBroadcasts() })
        case .endPages(let user, let completion):
            return telling(completion, try decide(at: now) { try $0.endPages(of: user) })
        case .job(let job, let result, let completion):
            return telling(completion, try end(job, result: result, now: now))
        case .answerRefund(let transaction, let provider, let answer, let completion):
            return telling(completion, try answerRefund(of: transaction, at: provider, answer, now: now))
        case .hooks(let answered, let endsOutage, let completion):
            return telling(completion, try end(answered, endsOutage: endsOutage, now: now))
        case .resendHook(let id, let completion): return telling(completion, try resendHook(id, now: now))
        case .nameHooks(let addresses, let completion): return telling(completion, try nameHooks(addresses, now: now))
        case .saveCheckpoint(let name, let instant, let completion):
            return telling(completion, try saveCheckpoint(name, at: instant))
        case .replay(let stored, let isTrial, let completion):
            return telling(completion, try replay(stored, isTrial: isTrial, now: now))
        case .rebroadcast(let contracts, let users, let completion):
            return telling(completion, try rebroadcast(contracts: contracts, users: users, now: now))
        case .tellCatalog(let row, let completion):
            return telling(completion, try tellCatalog(after: row, now: now))
        case .erase(let user, let completion): return telling(completion, try erase(user, now: now))
        case .emptyOld(let instant, let completion): return telling(completion, try emptyOld(before: instant))
        case .note(let act, let completion): return telling(completion, try note(act, at: now))
        case .policy(let policy):
            adopt(policy)
            return {}
        // `WriterLoop.add` has unwrapped these.
        case .led(let command, _), .audited(let command, _), .unchanged(_, _, let command):
            return try perform(command, counts: counts, now: now)
        }
    }
}

private func telling<Value>(_ completion: @escaping LedgerAnswer<Value>, _ value: Value) -> () -> Void {
    { completion(.success(value)) }
}

private func telling(_ completion: @escaping (Bool) -> Void, _: Void) -> () -> Void { { completion(true) } }

/// The commands of one transaction.
struct Batch {
    let isIsolating: Bool
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
        case .locale(_, let user, _): preload.add(localeOf: user)
        case .broadcast(let fragments, _): preload.add(fragments, streams)
        case .broadcastOnce(let fragments, let request, _):
            preload.add(fragments, streams)
            keys.append(request.key)
        case .led(let command, _), .audited(let command, _), .unchanged(_, _, let command):
            command.add(to: &preload, keys: &keys, streams: streams)
        case .broadcastsLost, .endPages, .job, .answerRefund, .hooks, .resendHook, .nameHooks, .saveCheckpoint, .replay,
            .rebroadcast, .erase, .tellCatalog, .emptyOld, .note, .policy:
            break
        }
    }

    func refuse(_ error: LedgerError) {
        switch self {
        case .event(_, _, _, let completion): completion(.failure(error))
        case .order(_, let completion): completion(.failure(.ledger(error)))
        case .locale(_, _, let completion): completion(.failure(error))
        case .broadcast(_, let completion): completion(.failure(error))
        case .broadcastOnce(_, _, let completion): completion(.failure(error))
        case .broadcastsLost(let completion): completion(.failure(error))
        case .endPages(_, let completion): completion(.failure(error))
        case .job(_, _, let completion), .saveCheckpoint(_, _, let completion), .hooks(_, _, let completion),
            .resendHook(_, let completion), .nameHooks(_, let completion):
            completion(false)
        case .tellCatalog(_, let completion): completion(.failure(error))
        case .answerRefund(_, _, _, let completion): completion(.failure(error))
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
