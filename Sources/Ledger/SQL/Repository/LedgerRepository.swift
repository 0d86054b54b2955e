public import Domain

/// The writer's connection and its transactions, which a `LedgerWriter` runs: commands are decided by what `StoredRows` reads,
/// and written (`+Writing`).
public struct LedgerRepository {
    let connection: any LedgerConnection
    /// `connection`, if the ledger is a file.
    let file: SQLiteConnection?
    let sql: LedgerSQL
    public let epoch: String
    let erasureKey: ErasureKey
    private(set) var policy: AccessPolicy
    public let streams: StreamPattern
    let stored: StoredRows
    /// Everything that this transaction has read or changed.
    var known: IdentityMap
    /// The contracts whose access has to end, if they have been read in advance.
    var ended: [ContractKey]?
    /// The last row in `contracts`, once a transaction has created one.
    var lastContract: Int64?
    /// The position up to which the retention has checked the bodies that it had kept.
    var keptChecked: Int64 = 0
    /// The date of the entries that this transaction has added.
    var entriesAt: Instant?
    /// The number of contracts without a user at the beginning of the transaction; nil until it is needed.
    var unclaimed: Int?
    /// Results that this transaction has found or stored under keys, which are ASCII.
    var broadcasts: [String: MadeBroadcast?] = [:]
    /// The headers that this transaction has written, with their digests.
    var headers: [(text: [UInt8], digest: [UInt8])] = []
    /// Who is behind the command that runs, until the act is written.
    var act: Act?
    /// What this transaction has changed so far.
    var news = TransactionNews()
    var hooksAt = Instant(milliseconds: 0)

    init(
        _ connection: any LedgerConnection,
        epoch: String,
        policy: AccessPolicy,
        streams: StreamPattern
    ) throws(EngineError) {
        self.connection = connection
        file = connection.file
        sql = LedgerSQL(connection)
        erasureKey = try sql.erasureKey()
        stored = StoredRows(sql, erasureKey)
        known = IdentityMap(stored, head: 0)
        self.epoch = epoch
        self.policy = policy
        self.streams = streams
    }

    /// Commits from now on follow this policy.
    public mutating func adopt(_ policy: AccessPolicy) { self.policy = policy }

    var isShared: Bool { file == nil }
}

extension LedgerRepository {
    func cursor(_ position: Int64) -> Cursor { Cursor(epoch: epoch, position: position) }

    /// Decides, then writes the result. A trial writes nothing.
    mutating func decide<Value>(
        at now: Instant,
        isTrial: Bool = false,
        by decision: (inout UnitOfWork) throws -> Value
    ) throws(EngineError) -> Value {
        let (value, changes) = try reading {
            var unit = UnitOfWork(known, policy: policy, streams: streams, epoch: epoch, now: now)
            let value = try decision(&unit)
            try unit.settle()
            return (value, try unit.finish())
        }
        if !isTrial { try write(changes, at: now) }
        known.endCommand()
        return value
    }

    /// Only the engine fails in what reads the ledger.
    func reading<Value>(_ body: () throws -> Value) throws(EngineError) -> Value {
        do { return try body() } catch { throw error as? EngineError ?? .unanswered }
    }
}

/// Results that were committed under a key.
struct MadeBroadcast {
    let request: String
    let position: Int64
    let count: Int64
}

extension LedgerRepository {
    /// The key is committed together with its broadcast, so that neither exists without the other.
    public mutating func broadcast(
        _ fragments: [Fragment],
        once request: KeyedRequest,
        limit: Int64 = keyLimit,
        now: Instant
    ) throws(EngineError) -> KeyedBroadcast {
        if broadcasts[request.key.text] == nil {
            broadcasts[request.key.text] = .some(try findBroadcast(request.key, at: now))
        }
        if let known = broadcasts[request.key.text] ?? nil {
            guard known.request.hasSameBytes(as: request.digest) else { return .otherRequest }
            return .repeated((0..<known.count).map { cursor(known.position + $0) })
        }
        let made = try decide(at: now) { unit in try unit.broadcast(fragments) }
        // Entries of one command have consecutive positions.
        let new = MadeBroadcast(
            request: request.digest,
            position: made.first?.position ?? 0,
            count: Int64(fragments.count)
        )
        broadcasts[request.key.text] = new
        // A few at a time: many expired keys must not delay the next request.
        try sql(
            """
            DELETE FROM broadcast_keys
            WHERE id IN (SELECT id FROM broadcast_keys WHERE at <= ? ORDER BY at, id LIMIT 100)
            """
        ).run([Value(now - LedgerRepository.memoryOfKeys)])
        // Replaces a key that is too old to count and has not been deleted yet.
        try sql(
            """
            INSERT INTO broadcast_keys (id, key, request, position, count, at)
            SELECT COALESCE(max(id), 0) + 1, ?, ?, ?, ?, ? FROM broadcast_keys WHERE true
            ON CONFLICT (key) DO UPDATE SET id = excluded.id, request = excluded.request,
                position = excluded.position, count = excluded.count, at = excluded.at
            """
        ).run([
            .text(request.key.text), .text(new.request), .integer(new.position), .integer(new.count), Value(now),
        ])
        try sql("DELETE FROM broadcast_keys WHERE id <= (SELECT max(id) FROM broadcast_keys) - ?")
            .run([.integer(limit)])
        return .made(made)
    }

    func findBroadcast(_ key: IdempotencyKey, at now: Instant) throws(EngineError) -> MadeBroadcast? {
        try sql("SELECT request, position, count FROM broadcast_keys WHERE key = ? AND at > ?")
            .first([.text(key.text), Value(now - LedgerRepository.memoryOfKeys)]) { row in
                MadeBroadcast(request: row.text(), position: row.integer(), count: row.integer())
            }
    }
}

/// Deletes what is too old. Everything else in the ledger stays.
extension LedgerRepository {
    /// The time for which an abandoned job is kept, so that an operator finds its reason, and so that an event that
    /// asks for it again does not start it again. A month is enough, because nothing is tried for longer.
    private static let memoryOfJobs = Duration.seconds(30 * 86_400)
    /// The time for which a key is remembered. A client that retries for longer has involved a person by then.
    static let memoryOfKeys = Duration.seconds(86_400)
    /// The number of keys that are kept within that time: the newest ones, in 200 MB.
    public static let keyLimit: Int64 = 1_000_000

    /// Records the result of one job, and deletes those that ended too long ago.
    public func end(_ job: Int64, result: JobResult, now: Instant) throws(EngineError) {
        switch result {
        case .done: try sql("DELETE FROM jobs WHERE id = ?").run([.integer(job)])
        case .doneAndKept:
            try sql("UPDATE jobs SET due_at = NULL, reason = NULL, abandoned_at = ? WHERE id = ?")
                .run([Value(now), .integer(job)])
        case .retry(let at, let reason):
            try sql(
                "UPDATE jobs SET attempts = attempts + 1, due_at = ?, reason = ? WHERE id = ? AND due_at IS NOT NULL"
            ).run([Value(at), .text(reason), .integer(job)])
        case .abandoned(let reason):
            try sql("UPDATE jobs SET attempts = attempts + 1, due_at = NULL, reason = ?, abandoned_at = ? WHERE id = ?")
                .run([.text(reason), Value(now), .integer(job)])
        }
        try sql(
            "DELETE FROM jobs WHERE id IN (SELECT id FROM jobs WHERE abandoned_at < ? ORDER BY abandoned_at LIMIT 100)"
        ).run([Value(now - LedgerRepository.memoryOfJobs)])
    }

    public func saveCheckpoint(_ name: String, at instant: Instant) throws(EngineError) {
        try sql("INSERT INTO marks (name, at) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET at = excluded.at")
            .run([.text(name), Value(instant)])
    }

    func setMeta(_ key: String, _ value: String) throws(EngineError) {
        try sql("INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value")
            .run([.text(key), .text(value)])
    }

    /// The last row in `contracts`, or 0.
    func findLastContract() throws(EngineError) -> Int64 {
        try sql("SELECT max(id) FROM contracts").first { row in row.integer() } ?? 0
    }
}

/// An engine that is far away answers in one round trip what the commands of a batch will read one after the other. Without
/// this, each result is the same, and takes longer.
extension LedgerRepository {
    /// Begins a transaction in which a batch is decided: its commands, after the access whose time has come at `now`.
    public mutating func begin(reading preload: Preload, keys: [IdempotencyKey], now: Instant) throws(EngineError) {
        guard isShared else { return try begin() }
        let stored = stored
        var trial = self
        _ = try connection.readAhead {
            try? preload.read(from: stored)
            try? trial.learn(keys, at: now)
        }
        try begin()
        try learn(keys, at: now)
        let ended = ended ?? []
        try reading { try preload.read(from: known) }
        let next = try reading { try preload.next(after: ended, in: known) }
        // A contract's further holders are asked for when its row is there.
        while try connection.readAhead({ try? next.read(from: stored) }) {}
        try reading { try next.read(from: known) }
    }

    /// Asks for what every batch needs, and what was made under these keys.
    private mutating func learn(_ keys: [IdempotencyKey], at now: Instant) throws(EngineError) {
        _ = try stored.knowsErasures()
        unclaimed = try sql.unclaimed()
        lastContract = try findLastContract()
        for key in keys { broadcasts[key.text] = .some(try findBroadcast(key, at: now)) }
        ended = try endedContracts(at: now)
    }
}

extension LedgerRepository {
    /// Applies stored events again, or tries out what that would change.
    public mutating func replay(
        _ batch: ReplayBatch,
        isTrial: Bool,
        now: Instant
    ) throws(EngineError) -> ReplayReport {
        let (act, before) = (act, news.entries.count)
        let report = try batch.replay { step throws(EngineError) in
            try decide(at: now, isTrial: isTrial, by: step)
        }
        if isTrial {
            try forget()
        } else {
            let left = report.changes.filter { $0.previousUser != $0.user }.compactMap(\.previousUser)
            try note(act, about: news.entries.dropFirst(before).compactMap(\.notice.user) + left, at: now)
        }
        return report
    }
}

/// What looks at several contracts.
extension LedgerRepository {
    /// Sends both fragments, in their current state, to the pages of `users` and of everyone who holds one of
    /// `contracts`.
    public mutating func rebroadcast(
        contracts: [Int64],
        users: [UserID],
        now: Instant
    ) throws(EngineError) -> [UserID] {
        let (act, before) = (act, news.entries.count)
        var told: [UserID] = []
        var holders = users
        for row in contracts {
            // Nil for a number that no contract has.
            guard let found = try stored.contract(row: row) else { continue }
            holders += try reading { try known.contract(found.key) }?.holders ?? []
        }
        for user in holders where !told.contains(user) {
            told.append(user)
            try decide(at: now) { unit in try unit.rebroadcast(to: user) }
        }
        try note(act, about: news.entries.dropFirst(before).compactMap(\.notice.user), at: now)
        return told
    }

    /// Ends the access of contracts whose time has come, including those whose time came while the server was down.
    mutating func endAccess(now: Instant) throws(EngineError) {
        let ended = if let ended { ended } else { try endedContracts(at: now) }
        for key in ended {
            try decide(at: now) { unit in try unit.endAccess(of: key) }
        }
    }

    func endedContracts(at now: Instant) throws(EngineError) -> [ContractKey] {
        let found = try stored.endedContracts(at: now)
        for contract in found { known.learn(contract) }
        return found.map(\.key)
    }

    /// The time at which the access of the next contract ends.
    func nextEnd() throws(EngineError) -> Instant? {
        try sql("SELECT min(ends_at) FROM contracts WHERE ends_at IS NOT NULL").first { row in row.optionalInstant() }
            ?? nil
    }

    func addUnclaimed(_ difference: Int) throws(EngineError) -> Int {
        let before = if let unclaimed { unclaimed } else { try sql.unclaimed() }
        let count = before + difference
        if difference != 0 { try sql("UPDATE meta SET value = ? WHERE key = 'unclaimed'").run([.text(String(count))]) }
        return count
    }
}

/// Transactions, and the commands within one.
extension LedgerRepository {
    public mutating func begin() throws(EngineError) {
        try connection.begin()
        unclaimed = nil
        entriesAt = nil
        news = news.afterFailure
        try forget()
    }

    /// Whether after this position no entry is about the user, nor was the user erased. Nobody else writes meanwhile.
    func isUnchanged(_ user: UserID, since position: Int64) throws(EngineError) -> Bool {
        let newer = try sql("SELECT 1 FROM entries WHERE user = ? AND position > ? LIMIT 1")
            .first([Value(user), .integer(position)]) { _ in true }
        let erased = try sql.tombstone(erasureKey.digest(of: .user(user)))
        return newer == nil && erased ?? 0 <= position
    }

    /// True if work done under `lease` may be committed in this transaction.
    public func holds(_ lease: Lease) throws(EngineError) -> Bool { try connection.holds(lease) }

    public func commit() throws(EngineError) {
        if !news.hooks.isEmpty { try writeHooks() }
        // Asked after the commit, and sent with it.
        _ = try connection.readAhead { _ = try? nextEnd() }
        try connection.commit(head: known.head, entriesAt: entriesAt)
    }

    /// What the last transaction has changed; once.
    mutating func takeNews() -> TransactionNews {
        defer { news = TransactionNews() }
        return news
    }

    /// Does nothing if the engine has already rolled the transaction back.
    public func rollback() throws(EngineError) { try connection.rollback() }

    /// Runs one command, whose failure undoes nothing else. Throws it if the whole transaction has to be undone.
    mutating func isolated<Value>(
        _ command: (inout LedgerRepository) throws(EngineError) -> Value
    ) throws(EngineError) -> Result<Value, EngineError> {
        // A command may also take news back.
        let before = news
        try sql("SAVEPOINT command").run()
        do throws(EngineError) {
            let value = try command(&self)
            try connection.confirmStatements()
            try release()
            return .success(value)
        } catch {
            guard connection.isInTransaction, !error.failsTransaction else { throw error }
            try sql("ROLLBACK TO command").run()
            try release()
            news = before
            try forget()
            return .failure(error)
        }
    }

    private func release() throws(EngineError) { try sql("RELEASE command").run() }

    /// Discards what is known in the transaction: something was rolled back, or somebody else may have written.
    mutating func forget() throws(EngineError) {
        stored.forget()
        lastContract = nil
        ended = nil
        broadcasts = [:]
        headers = []
        known = IdentityMap(stored, head: try connection.head())
    }
}
