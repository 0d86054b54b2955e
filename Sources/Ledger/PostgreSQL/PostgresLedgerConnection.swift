import Domain
import Support

/// A node's connection to the shared ledger. Used by one thread.
final class PostgresLedgerConnection: LedgerConnection, StatementRunner {
    let postgres: PostgresConnection
    let nodeState: PostgresNodeState
    var backoff = Backoff.ofPostgres
    /// When a lost server may be asked again, and what it was lost by.
    var mayConnectAt: MonotonicTime = 0
    var lastFailure: EngineError?
    /// Answers that were asked ahead, by their questions, with the number of the run if many were asked as one. They hold
    /// until something is written.
    var ahead: [[UInt8]: (answer: PostgresAnswer, run: Int?)] = [:]
    /// Questions that the next transaction asks as soon as it has begun.
    var first: [Question] = []
    /// The statements that ask for many runs of another one, by its name and its types.
    private var groups: [[String]: StatementText] = [:]
    var writes = PendingWrites()
    /// The newest position when the transaction began.
    private var begun: Int64 = 0
    /// The newest position when the transaction began; nil once something is written.
    private var unchangedHead: Int64?
    /// Positions below `end` have a partition, if this transaction commits.
    var reservation: (end: Int64, head: Int64)?
    /// The newest positions that this connection has committed, and told the other nodes.
    var committed: Int64 = 0
    var notified: Int64 = 0
    /// The session whose history was compared with what this node has seen.
    var checkedSession = 0
    /// Questions that run for nothing at the moment, to learn what they ask.
    private var recorded: [Question]?

    struct Question {
        let statement: PostgresStatement
        let values: [Value]
        let key: [UInt8]
    }

    init(_ nodeState: PostgresNodeState, options: PostgresOptions? = nil) {
        self.nodeState = nodeState
        postgres = PostgresConnection(nodeState.url, options: options ?? nodeState.options)
    }

    func prepare(_ sql: String) throws(EngineError) -> Statement { statement(sql, writing: .atOnce) }

    func prepare(_ insertion: Insertion) throws(EngineError) -> Statement {
        statement(insertion.sql(), writing: .insert(BulkInsert(insertion)))
    }

    func prepare(waiting update: String) throws(EngineError) -> Statement { statement(update, writing: .update) }

    private func statement(_ sql: String, writing: PostgresStatement.Writing) -> Statement {
        Statement(PostgresStatement(sql, as: postgres.text(sql), writing: writing, on: self))
    }

    var isInTransaction: Bool { postgres.isInTransaction }

    func begin() throws(EngineError) {
        let head = try transaction(to: .write)
        if nodeState.needsPartition(after: head) {
            let reserve = postgres.text("SELECT reserve_positions(?)")
            let reserved = try postgres.send(reserve, [.integer(nodeState.partitionSize)]).take()
            reservation = (reserved[0].integer(0), head)
        }
        unchangedHead = head
        begun = head
    }

    var eventIDs: String { "event_ids" }

    func head() throws(EngineError) -> Int64 {
        if let unchangedHead { return unchangedHead }
        return try prepare("SELECT max(position) FROM entries").first { row in row.integer(0) } ?? 0
    }

    func holds(_ lease: Lease) throws(EngineError) -> Bool {
        let sql = "SELECT 1 FROM leases WHERE name = 'work' AND node = ? AND number = ? FOR SHARE"
        return try prepare(sql).first([.text(nodeState.node), .integer(lease.number)]) { _ in true } ?? false
    }

    /// Remembers the newest entry, and counts the batch beside the position, so that it can be found again if the
    /// connection breaks before COMMIT is answered.
    func commit(head: Int64, entriesAt instant: Instant?) throws(EngineError) {
        let batch = nodeState.nextBatch()
        do throws(EngineError) {
            try writes.run(on: postgres)
            try postgres.queue(postgres.text("UPDATE head SET position = ?"), [.integer(head)])
            let count = """
                INSERT INTO writers (node, batch) VALUES (?, ?) ON CONFLICT (node) DO UPDATE SET batch = excluded.batch
                """
            try postgres.queue(postgres.text(count), [.text(nodeState.node), .integer(batch)])
            try postgres.commit()
        } catch {
            guard error.kind == .outcomeUnknown, try hasCommitted(batch) else { throw error }
        }
        if let reservation { nodeState.hasReserved(below: reservation.end, after: reservation.head) }
        reservation = nil
        // Before anybody is told of it: a failover may take it back, and give its position to another entry.
        if head > begun, let instant { nodeState.remember(head, committedAt: instant) }
        nodeState.committed(head)
        committed = head
    }

    func rollback() throws(EngineError) {
        ahead = [:]
        writes = PendingWrites()
        unchangedHead = nil
        postgres.rollback()
    }

    func confirmStatements() throws(EngineError) {
        try writes.run(on: postgres)
        try postgres.synchronize()
    }

    func beginReading() throws(EngineError) -> Int64 {
        try transaction(to: .read)
    }

    func endReading() throws(EngineError) {
        ahead = [:]
        postgres.leave()
    }

    func readAhead(_ questions: () -> Void) throws(EngineError) -> Bool {
        // Answers of the transaction before must not keep the same question, of the same millisecond, from being asked again.
        if !isInTransaction { ahead = [:] }
        recorded = []
        questions()
        let wanted = recorded ?? []
        recorded = nil
        guard isInTransaction else {
            first = wanted
            return !wanted.isEmpty
        }
        try writes.run(on: postgres)
        try send(wanted)
        return !wanted.isEmpty
    }

    /// Those of a kind go together.
    func send(_ questions: [Question]) throws(EngineError) {
        var seen: Set<[UInt8]> = []
        var kinds: [[String]: [Question]] = [:]
        for question in questions where ahead[question.key] == nil && seen.insert(question.key).inserted {
            let types = BatchedQuestion.types(of: question.values)
            kinds[[question.statement.text.key] + types, default: []].append(question)
        }
        for (kind, runs) in kinds {
            let types = kind.dropFirst()
            guard runs.count > 1, !types.isEmpty else {
                for run in runs { ahead[run.key] = (try postgres.send(run.statement.text, run.values), nil) }
                continue
            }
            let text = groups[kind] ?? postgres.text(BatchedQuestion.sql(runs[0].statement.sql, types: Array(types)))
            groups[kind] = text
            let answer = try postgres.send(text, BatchedQuestion.arrays(runs.map(\.values)))
            for (number, run) in zip(1..., runs) { ahead[run.key] = (answer, number) }
        }
    }

    func ask(_ statement: PostgresStatement, _ values: [Value]) throws(EngineError) -> PostgresResult? {
        if recorded != nil || !ahead.isEmpty {
            // Tells questions apart by their bytes.
            let key = values.reduce(into: Array(statement.text.key.utf8) + [0]) { $1.append(to: &$0) }
            if let known = ahead[key] {
                // Afterwards, others may have written.
                if !isInTransaction, recorded == nil { ahead[key] = nil }
                return try known.answer.take(run: known.run)
            }
            if recorded != nil {
                recorded?.append(Question(statement: statement, values: values, key: key))
                return nil
            }
        }
        return try alone { () throws(EngineError) in
            try writes.run(on: postgres)
            return try postgres.send(statement.text, values).take()
        }
    }

    /// Keeps back, in a transaction, what may wait until something depends on it.
    func queue(
        _ statement: PostgresStatement,
        _ values: [Value],
        body: UnsafeRawBufferPointer?
    ) throws(EngineError) {
        ahead = [:]
        unchangedHead = nil
        let row = values + (body.map { [.bytes(Array($0))] } ?? [])
        switch statement.writing {
        case .insert(let insert) where isInTransaction: writes.add(row, to: insert)
        case .update where isInTransaction: writes.add(statement.text, row)
        default:
            try alone { () throws(EngineError) in
                try writes.run(on: postgres)
                try postgres.queue(statement.text, values, body: body)
            }
        }
    }
}

/// Notifies the other nodes of a commit; their `NodeListener` hears it.
extension PostgresLedgerConnection {
    /// Tells the other nodes, in a transaction of its own: within the commit, PostgreSQL would hold its lock on all
    /// notifying commits of the server while the disk is flushed. It is a hint, so nobody minds if it fails.
    func notifyNodes() {
        guard committed > notified, postgres.isOpen else { return }
        notified = committed
        try? postgres.prepare("SELECT pg_notify(?, ?)").run([
            .text(PostgresNodeState.channel), .text("\(nodeState.epoch):\(committed)"),
        ])
        // Its answer comes with that of the next transaction.
        try? postgres.post()
    }
}

/// A commit of which this node does not know whether it is in, because the connection broke before the answer.
extension PostgresLedgerConnection {
    /// Asks on a new session. The head's lock waits for a predecessor that is still committing, and the node's row tells
    /// whether the batch is in.
    func hasCommitted(_ batch: Int64) throws(EngineError) -> Bool {
        let deadline = ContinuousClock.now + .seconds(5)
        while true {
            do throws(EngineError) {
                _ = try transaction(to: .confirm)
                let found = try postgres.prepare("SELECT batch FROM writers WHERE node = ?")
                    .first([.text(nodeState.node)]) { row in row.integer(0) }
                // A server that was restarted shows commits that no standby has. This one follows them to the standby, and is
                // answered when it is there: https://www.postgresql.org/docs/15/warm-standby.html#SYNCHRONOUS-REPLICATION
                try postgres.commit()
                return found == batch
            } catch {
                postgres.rollback()
                guard !nodeState.hasLost, ContinuousClock.now < deadline else { throw error }
                Waker().wait(timeout: max(monotonicNanoseconds().duration(to: mayConnectAt), .milliseconds(20)))
            }
        }
    }
}

extension Backoff {
    /// Of a server that cannot be reached. Its jitter keeps the nodes from coming all at the same moment.
    static let ofPostgres = Backoff(first: .milliseconds(200), most: .seconds(5))
}
