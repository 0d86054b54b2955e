import CPostgres

/// A connection to a database: a session that is opened when it is needed, and again after it broke. Used by one
/// thread.
///
/// Statements are queued and sent together; a caller that asks for rows or calls `synchronize` waits for the answers to
/// all of them and gets the first failure. A transaction that lost its session refuses everything until `rollback`, so
/// that its second half is never committed alone.
public final class PostgresConnection {
    enum TransactionState: Equatable {
        case none
        case open
        case lost(EngineError)
    }

    let url: PostgresURL
    public let options: PostgresOptions
    var current: PostgresSession?
    var transaction = TransactionState.none
    /// The number of sessions so far: a caller that has prepared or locked something sees by it that a new one has
    /// begun.
    public private(set) var session = 0
    /// The session that has all channels to which this connection listens.
    var listeningSession = 0
    private var names: [String: StatementText] = [:]

    public init(_ url: PostgresURL, options: PostgresOptions = PostgresOptions()) {
        self.url = url
        self.options = options
    }

    var isInTransaction: Bool { transaction != .none }

    public var isOpen: Bool { current != nil }

    /// The server's process, which notifications name as their sender; 0 without a session.
    public var backend: Int32 { current.map { PQbackendPID($0.handle) } ?? 0 }

    /// True if a pooler is in front, so that LISTEN and settings of the session do not work.
    public var isPooled: Bool { current?.isPooled ?? false }

    /// Waits until there is a session.
    public func open() throws(EngineError) { _ = try use() }

    /// Drops the session. Uncommitted changes are rolled back.
    public func close() {
        current?.abandon(because: EngineError(.connectionLost, "it was closed"))
        current = nil
        transaction = .none
    }

    /// `?` and `?1` are parameters. No round trip.
    public func prepare(_ sql: String) -> Statement { Statement(PostgresStatement(sql, as: text(sql), on: self)) }

    /// A text keeps its name, so that each session prepares it once.
    func text(_ sql: String) -> StatementText {
        if let text = names[sql] { return text }
        let text = StatementText(name: "s\(names.count)", sql: Placeholders.translated(sql))
        names[sql] = text
        return text
    }

    /// All prepared statements: a test asks for their plans.
    var preparedTexts: [String] { names.values.map(\.sql).sorted() }

    /// Runs statements without parameters or rows, several in one text as well, and waits.
    public func execute(_ sql: String) throws(EngineError) {
        try perform { session throws(EngineError) in try session.execute(sql) }
        noteTransaction()
    }

    /// Waits until every queued statement has succeeded.
    func synchronize() throws(EngineError) {
        if case .lost(let error) = transaction { throw error }
        guard current != nil else { return }
        try perform { session throws(EngineError) in try session.waitForAnswers() }
        noteTransaction()
    }

    /// Sends everything that is queued, without waiting. Nobody learns of a failure, unless the session is lost.
    public func post() throws(EngineError) {
        if case .lost(let error) = transaction { throw error }
        guard current != nil else { return }
        try perform { session throws(EngineError) in try session.post() }
    }

    /// Queues a query. Everything that is queued is answered in one round trip, as soon as one answer is waited for.
    func send(_ text: StatementText, _ values: [Value] = []) throws(EngineError) -> PostgresAnswer {
        let answer = PostgresAnswer(to: text.sql, on: self)
        try queue(text, values, answer: answer)
        return answer
    }

    func queue(
        _ text: StatementText,
        _ values: [Value],
        body: UnsafeRawBufferPointer? = nil,
        answer: PostgresAnswer? = nil
    ) throws(EngineError) {
        try perform { session throws(EngineError) in
            try session.send(text, values, body: body, answer: answer)
        }
    }

    /// Drops the session if it can no longer be used.
    func perform(_ work: (PostgresSession) throws(EngineError) -> Void) throws(EngineError) {
        let session = try use()
        do throws(EngineError) {
            try work(session)
        } catch {
            let isLost =
                [.connectionLost, .shuttingDown, .readOnly].contains(error.kind) || session.isBroken
                || session.isUnusable
            if isLost { drop(because: error) } else if session.pending.isEmpty { noteTransaction() }
            throw error
        }
    }

    private func use() throws(EngineError) -> PostgresSession {
        if case .lost(let error) = transaction { throw error }
        if let current { return current }
        let opened = try openSession()
        current = opened
        session += 1
        return opened
    }

    func drop(because error: EngineError) {
        current?.abandon(because: error)
        current = nil
        if transaction == .open { transaction = .lost(error) }
    }

    /// Takes over the state that the server reported with its last answer.
    func noteTransaction() {
        guard let current else { return }
        let status = PQtransactionStatus(current.handle)
        transaction = status == PQTRANS_INTRANS || status == PQTRANS_INERROR ? .open : .none
    }
}

extension PostgresConnection: StatementRunner {
    func ask(_ statement: PostgresStatement, _ values: [Value]) throws(EngineError) -> PostgresResult? {
        try send(statement.text, values).take()
    }

    func queue(
        _ statement: PostgresStatement,
        _ values: [Value],
        body: UnsafeRawBufferPointer?
    ) throws(EngineError) {
        try queue(statement.text, values, body: body)
    }
}
