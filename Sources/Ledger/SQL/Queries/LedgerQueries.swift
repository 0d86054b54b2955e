public import Domain
import Support

/// The reader's connection and its questions, which a `LedgerReader` asks. Each is answered from one snapshot.
public struct LedgerQueries {
    private let connection: any LedgerConnection
    let sql: LedgerSQL
    private(set) var policy: AccessPolicy
    var clock = Clock()
    /// What users hold, as the writer's last transactions knew it.
    var states: RecentStates?
    let streams: StreamPattern
    let epoch: String
    let erasureKey: ErasureKey
    /// The newest position of the snapshot that is open, and its time; nil if none is open.
    private var running: (head: Cursor, at: Instant)?

    /// The same throughout a snapshot: a question that runs again must ask the same.
    var now: Instant { running?.at ?? clock.now() }

    init(
        _ connection: any LedgerConnection,
        epoch: String,
        policy: AccessPolicy,
        streams: StreamPattern
    ) throws(EngineError) {
        self.connection = connection
        sql = LedgerSQL(connection)
        erasureKey = try sql.erasureKey()
        self.epoch = epoch
        self.policy = policy
        self.streams = streams
    }

    /// Answers from now on follow this policy.
    public mutating func adopt(_ policy: AccessPolicy) { self.policy = policy }

    /// The newest position.
    public func head() throws(EngineError) -> Cursor {
        guard let running else { throw .unanswered }
        return running.head
    }

    typealias Question = @Sendable (inout LedgerQueries) -> QuestionAnswer

    /// Answers questions from one snapshot. It asks a distant engine everything that they need at once. A question may
    /// run more than once, so it returns the action that delivers its answer.
    mutating func answer(_ questions: [Question]) -> [QuestionAnswer] {
        guard connection.isShared, questions.count > 1 else { return questions.map { $0(&self) } }
        let together = try? snapshot { queries in
            var trial = queries
            return (answers: questions.map { $0(&trial) }, policy: trial.policy)
        }
        // A question that fails must not fail the others.
        guard let together, !together.answers.contains(where: \.isFailure) else { return questions.map { $0(&self) } }
        policy = together.policy
        return together.answers
    }

    /// Asks within the running snapshot, or within one of its own. All functions that answer need one.
    public mutating func snapshot<Value>(_ question: (inout LedgerQueries) throws -> Value) throws(LedgerError) -> Value
    {
        do {
            guard running == nil else { return try question(&self) }
            running = (Cursor(epoch: epoch, position: try connection.beginReading()), clock.now())
            defer { running = nil }
            var answer = Result<Value, any Error>?.none
            // The last run, which asks nothing new, has all answers.
            while try connection.readAhead({ answer = Result { try question(&self) } }) {}
            let last = if let answer { try answer.get() } else { try question(&self) }
            try connection.endReading()
            return last
        } catch {
            if running == nil { try? connection.endReading() }
            if let error = error as? EngineError { throw LedgerError(error) }
            throw error as? LedgerError ?? .failed(reason: "\(error)")
        }
    }
}

/// The answer to one of several questions that were asked together.
public struct QuestionAnswer {
    /// True if it failed, perhaps because of the others: each is then asked alone.
    public let isFailure: Bool
    public let deliver: () -> Void
}

extension LedgerQueries {
    /// The last number that was dated before an instant, as `dates` says of each; 0 if none was. By bisection: numbers
    /// ascend with time.
    func last(before instant: Instant, upTo newest: Int64, by dates: Statement) throws(EngineError) -> Int64 {
        var low = Int64(0)
        var high = newest
        while low < high {
            let middle = high - (high - low) / 2
            let at = try dates.first([.integer(middle)]) { row in row.integer() } ?? .min
            if at < instant.milliseconds { low = middle } else { high = middle - 1 }
        }
        return low
    }

    /// The position at which the user of a stream was erased; nil for any other stream.
    func erasure(of stream: StreamName) throws(EngineError) -> Int64? {
        guard let user = streams.user(of: stream) else { return nil }
        return try sql.tombstone(erasureKey.digest(of: .user(user)))
    }
}

extension LedgerQueries {
    public func locale(of user: UserID) throws(EngineError) -> UserLocale { try sql.locale(of: user) }

    /// Fills in the users' locales in fragments that are not in the ledger.
    public func written(_ fragments: [Fragment]) throws(EngineError) -> [Fragment] {
        try streams.written(fragments, naming: policy.catalog) { user throws(EngineError) in try locale(of: user) }
    }

    /// Stored fragments in the locales that their users have now.
    func written(_ found: [PlacedFragment]) throws(EngineError) -> [PlacedFragment] {
        var found = found
        let fragments = try written(found.map(\.fragment))
        for index in found.indices { found[index].fragment = fragments[index] }
        return found
    }
}
