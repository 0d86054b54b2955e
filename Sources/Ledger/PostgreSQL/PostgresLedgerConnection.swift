internal import Domain
internal import LedgerSQL
internal import Postgres

/// A node's connection to the shared ledger. Used by one thread.
final class PostgresLedgerConnection: LedgerConnection {
    let postgres: PostgresConnection
    let site: PostgresSite
    var reconnection = Reconnection()
    private let lockHead: PostgresStatement
    private let readHead: PostgresStatement
    private let newest: PostgresStatement
    private let moveHead: PostgresStatement
    private let countBatch: PostgresStatement
    /// What was asked ahead, by its question. It holds until something is written.
    private var ahead: [[UInt8]: PostgresTicket] = [:]
    /// The newest position when the transaction began, until something is written.
    private var unchangedHead: Int64?
    /// The newest positions that this connection has committed, and told the other nodes.
    private var committed: Int64 = 0
    private var announced: Int64 = 0
    /// The session whose history was compared with what this node has seen.
    private var checkedSession = 0
    /// Questions that run for nothing at the moment, to learn what they ask.
    private var recorded: [(statement: PostgresStatement, values: [Value])]?

    init(_ site: PostgresSite) {
        self.site = site
        postgres = PostgresConnection(site.url, options: site.options)
        lockHead = postgres.prepare("SELECT position, epoch FROM head FOR UPDATE")
        readHead = postgres.prepare("SELECT position, epoch FROM head")
        newest = postgres.prepare("SELECT max(position) FROM entries")
        moveHead = postgres.prepare("UPDATE head SET position = ?")
        countBatch = postgres.prepare(
            "INSERT INTO writers (node, batch) VALUES (?, ?) ON CONFLICT (node) DO UPDATE SET batch = excluded.batch"
        )
    }

    func prepare(_ sql: String) throws(EngineError) -> Statement {
        Statement(PostgresLedgerStatement(sql, on: self))
    }

    var isInTransaction: Bool { postgres.isInTransaction }

    func begin() throws(EngineError) {
        unchangedHead = try transaction("", asking: lockHead)
    }

    func head() throws(EngineError) -> Int64 {
        if let unchangedHead { return unchangedHead }
        return try ask(newest, values: []).flatMap { $0.count > 0 ? $0[0].integer(0) : nil } ?? 0
    }

    /// Counts the batch beside the position, so that it can be found again if the connection breaks before COMMIT is
    /// answered.
    func commit(head: Int64) throws(EngineError) {
        let batch = site.nextBatch()
        try queue(moveHead, values: [.integer(head)], body: nil)
        try queue(countBatch, values: [.text(site.node), .integer(batch)], body: nil)
        do throws(PostgresError) {
            try postgres.commit()
        } catch {
            guard error.kind == .outcomeUnknown, try hasCommitted(batch) else { throw EngineError(error) }
        }
        site.committed(head)
        committed = head
    }

    func rollback() throws(EngineError) {
        ahead = [:]
        unchangedHead = nil
        postgres.rollback()
    }

    func settle() throws(EngineError) {
        try engine { () throws(PostgresError) in try postgres.synchronize() }
    }

    func beginReading() throws(EngineError) -> Int64 {
        try transaction("ISOLATION LEVEL REPEATABLE READ READ ONLY", asking: readHead)
    }

    func endReading() throws(EngineError) { try rollback() }

    var isShared: Bool { true }

    func readAhead(_ questions: () -> Void) throws(EngineError) -> Bool {
        recorded = []
        questions()
        let wanted = recorded ?? []
        recorded = nil
        for question in wanted {
            let key = question.statement.key(for: question.values)
            guard ahead[key] == nil else { continue }
            ahead[key] = try engine { () throws(PostgresError) in
                try question.statement.send(question.values.map(\.postgres))
            }
        }
        return !wanted.isEmpty
    }

    /// Waits for the rows. While questions are only recorded, there are none.
    func ask(_ statement: PostgresStatement, values: [Value]) throws(EngineError) -> PostgresResult? {
        if recorded != nil || !ahead.isEmpty {
            let known = ahead[statement.key(for: values)]
            if let known { return try engine { () throws(PostgresError) in try known.take() } }
        }
        guard recorded == nil else {
            recorded?.append((statement, values))
            return nil
        }
        return try alone { () throws(PostgresError) in try statement.send(values.map(\.postgres)).take() }
    }

    func queue(
        _ statement: PostgresStatement,
        values: [Value],
        body: UnsafeRawBufferPointer?
    ) throws(EngineError) {
        ahead = [:]
        unchangedHead = nil
        try alone { () throws(PostgresError) in
            let values = values.map(\.postgres)
            if let body { try statement.run(values, body: body) } else { try statement.run(values) }
        }
    }
}

extension PostgresLedgerConnection {
    /// Begins, and returns the newest position.
    private func transaction(_ mode: String, asking question: PostgresStatement) throws(EngineError) -> Int64 {
        ahead = [:]
        try connect()
        let before = site.seen
        let found = try engine { () throws(PostgresError) in
            try postgres.begin(mode)
            return try question.first { row in (position: row.integer(0), epoch: row.text(1)) }
        }
        guard let found else {
            throw .ofTheLedger("it has no head", advice: "the ledger in PostgreSQL is damaged: restore a backup")
        }
        try site.see(found.position, epoch: found.epoch, atLeast: before)
        try compareHistory()
        return found.position
    }

    private func connect() throws(EngineError) {
        guard !postgres.isOpen else { return }
        try reconnection.check()
        do throws(PostgresError) {
            try postgres.open()
            reconnection = Reconnection()
        } catch {
            reconnection.failed()
            throw EngineError(error)
        }
    }

    /// Asks on a new session. The head's lock waits for a predecessor that is still committing, and the node's row tells
    /// whether the batch is in.
    private func hasCommitted(_ batch: Int64) throws(EngineError) -> Bool {
        let deadline = ContinuousClock.now + .seconds(10)
        while true {
            do throws(EngineError) {
                _ = try transaction("", asking: lockHead)
                let found = try engine { () throws(PostgresError) in
                    try postgres.prepare("SELECT batch FROM writers WHERE node = ?").first([.text(site.node)]) { row in
                        row.integer(0)
                    }
                }
                postgres.rollback()
                return found == batch
            } catch {
                postgres.rollback()
                guard ContinuousClock.now < deadline else { throw error }
                reconnection.wait()
            }
        }
    }

    /// A promoted standby may have caught up with what this node has seen, by other commits at the same positions. The
    /// date of the newest entry that it knows tells, once for each session.
    private func compareHistory() throws(EngineError) {
        guard checkedSession != postgres.session, let newest = site.newestEntry else { return }
        let found = try engine { () throws(PostgresError) in
            try postgres.prepare("SELECT committed_at FROM entries WHERE position = ?")
                .first([.integer(newest.position)]) { row in row.integer(0) }
        }
        guard found == newest.committedAt.milliseconds else { throw site.lose() }
        checkedSession = postgres.session
    }

    /// Runs something that needs no transaction. A pooler gives each transaction another session, whose settings, the
    /// tables' schema among them, are only those that it was begun with.
    private func alone<Value>(_ body: () throws(PostgresError) -> Value) throws(EngineError) -> Value {
        if postgres.isInTransaction { return try engine(body) }
        try connect()
        guard postgres.isPooled else { return try engine(body) }
        return try engine { () throws(PostgresError) in
            try postgres.begin()
            let value = try body()
            try postgres.commit()
            return value
        }
    }

    /// Tells the other nodes, in a transaction of its own: within the commit, PostgreSQL would hold its lock on all
    /// notifying commits of the server while the disk is flushed. It is a hint, so nobody minds if it fails.
    func announce() {
        guard committed > announced, postgres.isOpen else { return }
        announced = committed
        let statement = postgres.prepare("SELECT pg_notify(?, ?)")
        try? statement.run([.text(PostgresSite.channel), .text("\(site.epoch):\(committed)")])
        try? postgres.synchronize()
    }
}

extension PostgresStatement {
    /// Tells questions apart by their bytes.
    fileprivate func key(for values: [Value]) -> [UInt8] {
        var key = Array(sql.utf8)
        for value in values {
            switch value {
            case .null: key.append(0)
            case .integer(let number): key += [1] + Array("\(number)".utf8)
            case .text(let text): key += [2] + Array("\(text.utf8.count):".utf8) + Array(text.utf8)
            }
        }
        return key
    }
}
