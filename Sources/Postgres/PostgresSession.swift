internal import CPostgres
internal import Glibc

/// A session of libpq, in pipeline mode and never blocking, and what is queued in it
/// (https://www.postgresql.org/docs/15/libpq-pipeline-mode.html).
final class PostgresSession {
    let handle: OpaquePointer
    let options: PostgresOptions
    let notices = NoticeRecord()
    var pending: [QueuedStatement] = []
    /// Names of statements that the server knows, or will when it comes to them.
    var prepared: Set<String> = []
    /// Bytes that were handed to libpq since it was last made to send.
    var unflushed = 0
    /// An exchange broke off in the middle: what comes next would be the answer to something else.
    var isUnusable = false
    /// A pooler stands between: what one transaction prepares or sets, the next one may not find.
    private(set) var isPooled = false

    init(_ handle: OpaquePointer, options: PostgresOptions) {
        self.handle = handle
        self.options = options
        notices.attach(to: handle)
        // The only way to learn the code of a failed connect.
        PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
    }

    deinit {
        PQfinish(handle)
    }

    var isBroken: Bool { PQstatus(handle) == CONNECTION_BAD }

    /// Asks who answers, in one round trip.
    func begin() throws(PostgresError) {
        guard PQsetnonblocking(handle, 1) == 0, PQenterPipelineMode(handle) == 1 else { throw lost() }
        let sql = "SELECT pg_catalog.pg_backend_pid(), pg_catalog.current_setting('transaction_read_only')"
        let answer = QueryAnswer()
        try send(StatementText(name: nil, sql: sql), [], body: nil, answer: answer)
        try settle()
        let rows = PostgresResult(try answer.take(), sql: sql)
        // A pooler names a process of its own in its greeting.
        isPooled = rows[0].integer(0) != Int64(PQbackendPID(handle))
        // So it is in a standby, whatever its settings say: https://www.postgresql.org/docs/15/hot-standby.html
        guard options.isWriter, rows[0].text(1) != "off" else { return }
        let place = PQhost(handle).map { String(cString: $0) } ?? "localhost"
        throw PostgresError(.readOnly, sqlState: "25006", "\(place) does not take writes")
    }

    /// What the server reports of itself and the session.
    func parameter(_ name: String) -> String? {
        PQparameterStatus(handle, name).map { String(cString: $0) }
    }

    /// False when nothing happened until `deadline`; and after it, so that a server that never stops is not waited for.
    func waitForSocket(_ events: Int32, until deadline: ContinuousClock.Instant) -> Bool {
        var request = pollfd(fd: PQsocket(handle), events: Int16(events), revents: 0)
        // A socket that is gone: libpq's next call says so.
        guard request.fd >= 0 else { return true }
        while true {
            let left = deadline - .now
            guard left > .zero else { return false }
            let count = poll(&request, 1, Int32(clamping: left.wholeMilliseconds + 1))
            if count > 0 { return true }
            if count == 0 || errno != EINTR { return false }
        }
    }

    /// Sends until the kernel has taken all; meanwhile it reads, because a server that cannot send does not read.
    func flush(until deadline: ContinuousClock.Instant) throws(PostgresError) {
        unflushed = 0
        isUnusable = true
        while true {
            switch PQflush(handle) {
            case 0:
                isUnusable = false
                return
            case 1:
                guard waitForSocket(POLLIN | POLLOUT, until: deadline) else { throw silent() }
                guard PQconsumeInput(handle) == 1 else { throw lost() }
            default: throw lost()
            }
        }
    }

    /// The next result, which the caller clears; nil after the last one of a statement.
    func nextResult(until deadline: ContinuousClock.Instant) throws(PostgresError) -> OpaquePointer? {
        while PQisBusy(handle) == 1, !isBroken {
            let isSending = PQflush(handle) == 1
            guard waitForSocket(isSending ? POLLIN | POLLOUT : POLLIN, until: deadline) else { throw silent() }
            // After a failure libpq still has results of what had arrived.
            guard PQconsumeInput(handle) == 1 else { break }
        }
        return PQgetResult(handle)
    }

    private func silent() -> PostgresError {
        PostgresError(.connectionLost, "no answer within \(options.answer)")
    }

    /// Why the connection is gone, by the server's words when it had time for any.
    func lost() -> PostgresError {
        guard let farewell = notices.farewell else {
            let text = PQerrorMessage(handle).map { String(cString: $0) } ?? ""
            return PostgresError(.connectionLost, printable(text.isEmpty ? "it was closed" : text))
        }
        let error = farewell.error(sql: "")
        return error.kind == .shuttingDown ? error : error.with(.connectionLost)
    }

    var connectFailure: PostgresError {
        let words = printable(PQerrorMessage(handle).map { String(cString: $0) } ?? "")
        let code = PostgresSession.code(in: words)
        return PostgresError(code.map { PostgresError.kind(of: $0) } ?? .connectionLost, sqlState: code ?? "", words)
    }

    /// Verbose messages look like `… failed: FATAL:  28P01: password authentication failed for user "x"`.
    static func code(in words: String) -> String? {
        let bytes = Array(words.utf8)
        guard let mark = bytes.firstRange(of: Array(":  ".utf8)) else { return nil }
        let rest = bytes[mark.upperBound...]
        let code = rest.prefix { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
        guard code.count == 5, rest.dropFirst(5).starts(with: ": ".utf8) else { return nil }
        return String(decoding: code, as: UTF8.self)
    }
}
