import CPostgres

/// A statement as a session runs it.
struct StatementText {
    /// Nil if it is parsed again each time.
    let name: String?
    let sql: String

    /// Unique within its connection.
    var key: String { name ?? sql }
}

/// A queued item. Answers arrive in the same order.
struct QueuedStatement {
    let sql: String
    /// Set if the item prepares a statement.
    var prepares: String?
    /// Nil if only success matters.
    var answer: PostgresAnswer?
    /// Everything up to here was posted: later items do not fail with it.
    var endsPost = false
}

extension PostgresSession {
    /// `body` is the last parameter. Returns when libpq has copied everything.
    func send(
        _ text: StatementText,
        _ values: [Value],
        body: UnsafeRawBufferPointer? = nil,
        answer: PostgresAnswer? = nil
    ) throws(EngineError) {
        let name = isPooled ? nil : text.name
        if let name, !prepared.contains(name) {
            guard PQsendPrepare(handle, name, text.sql, 0, nil) == 1 else { throw lost() }
            prepared.insert(name)
            pending.append(QueuedStatement(sql: text.sql, prepares: name))
        }
        let isSent = StatementParameters.withPointers(to: values, body: body) { count, pointers, lengths, formats in
            if let name { return PQsendQueryPrepared(handle, name, count, pointers, lengths, formats, 1) == 1 }
            return PQsendQueryParams(handle, text.sql, count, nil, pointers, lengths, formats, 1) == 1
        }
        guard isSent else { throw lost() }
        pending.append(QueuedStatement(sql: text.sql, answer: answer))
        unflushed += 64 + (body?.count ?? 0) + values.reduce(0) { $0 + $1.size }
        if unflushed > 64 << 10 { try flush(until: .now + options.answer) }
    }

    /// Waits for the answers to everything that is queued, and throws the first failure. The pipeline is empty
    /// afterwards. `timeout` defaults to `answer` in the options.
    func waitForAnswers(within timeout: Duration? = nil) throws(EngineError) {
        guard !pending.isEmpty else { return }
        var isSynchronized = false
        do throws(EngineError) {
            guard PQpipelineSync(handle) == 1 else { throw lost() }
            let deadline = ContinuousClock.now + (timeout ?? options.answer)
            var failure: EngineError?
            for statement in pending {
                if statement.endsPost {
                    try collectEnd(until: deadline, failure: &failure)
                    failure = nil
                } else {
                    try collect(statement, until: deadline, failure: &failure)
                }
            }
            try collectEnd(until: deadline, failure: &failure)
            isSynchronized = true
            pending = []
            if let failure { throw failure }
        } catch {
            isUnusable = !isSynchronized
            abandon(because: error)
            throw error
        }
    }

    /// Sends everything that is queued, without waiting. Nobody learns of a failure.
    func post() throws(EngineError) {
        guard !pending.isEmpty else { return }
        guard PQpipelineSync(handle) == 1 else { throw lost() }
        pending.append(QueuedStatement(sql: "", endsPost: true))
        try flush(until: .now + options.answer)
    }

    /// Without BEGIN, all up to here is a transaction that commits now, and what it deferred may fail: the error comes before
    /// the end, and belongs to no statement.
    private func collectEnd(
        until deadline: ContinuousClock.Instant,
        failure: inout EngineError?
    ) throws(EngineError) {
        while true {
            let end = ResultHandle(try nextResult(until: deadline))
            switch end.status {
            case PGRES_PIPELINE_SYNC: return
            case PGRES_FATAL_ERROR where end.pointer != nil:
                let error = try refusal(in: end, sql: "COMMIT")
                failure = failure ?? error
                // Nothing follows the error but the end.
                guard try nextResult(until: deadline) == nil else { throw lost() }
            default: throw lost()
            }
        }
    }

    /// The server's error. Throws when the session ends with it.
    private func refusal(in result: ResultHandle, sql: String) throws(EngineError) -> EngineError {
        let report = ServerReport(result.pointer)
        let error = report.error(sql: sql)
        // The server's last words; or nothing, when libpq itself noticed.
        guard report.severity == "ERROR" else { throw lost(by: report, error) }
        if error.sqlState == "26000" { prepared = [] }
        return error
    }

    /// Tells everyone who waits for rows that none will come.
    func abandon(because error: EngineError) {
        for statement in pending {
            if let answer = statement.answer, answer.isPending { answer.fill(.failure(error)) }
        }
        pending = []
    }

    /// Throws if the connection can no longer be used. Any other failure, if it is the first, is stored in `failure`.
    private func collect(
        _ statement: QueuedStatement,
        until deadline: ContinuousClock.Instant,
        failure: inout EngineError?
    ) throws(EngineError) {
        var last: ResultHandle?
        while let result = try nextResult(until: deadline) {
            let result = ResultHandle(result)
            last = result
            switch result.status {
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: break
            case PGRES_PIPELINE_ABORTED: forget(statement)
            case PGRES_FATAL_ERROR:
                forget(statement)
                let error = try refusal(in: result, sql: statement.sql)
                failure = failure ?? error
            default: throw EngineError(.connectionLost, "COPY is not supported", sql: statement.sql)
            }
        }
        guard let last else { throw lost() }
        statement.answer?.fill(failure.map { .failure($0) } ?? .success(last))
    }

    private func forget(_ statement: QueuedStatement) {
        if let name = statement.prepares { prepared.remove(name) }
    }

    private func lost(by report: ServerReport, _ error: EngineError) -> EngineError {
        guard !report.sqlState.isEmpty else { return lost() }
        return error.kind == .shuttingDown ? error : error.with(.connectionLost)
    }

    /// Runs several statements in one text, without parameters, after everything that was queued.
    func execute(_ sql: String) throws(EngineError) {
        try waitForAnswers()
        guard PQexitPipelineMode(handle) == 1, PQsendQuery(handle, sql) == 1 else { throw lost() }
        let deadline = ContinuousClock.now + options.answer
        var failure: EngineError?
        let statement = QueuedStatement(sql: sql)
        try collect(statement, until: deadline, failure: &failure)
        guard PQenterPipelineMode(handle) == 1 else { throw lost() }
        if let failure { throw failure }
    }
}
