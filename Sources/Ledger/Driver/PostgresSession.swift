import CPostgres
import Domain
import Glibc

/// A libpq session in non-blocking pipeline mode, with its queue
/// (https://www.postgresql.org/docs/15/libpq-pipeline-mode.html).
final class PostgresSession {
    let handle: OpaquePointer
    let options: PostgresOptions
    let notices = NoticeRecord()
    var pending: [QueuedStatement] = []
    /// The names of statements that the server knows, or will know when it reaches them.
    var prepared: Set<String> = []
    /// The number of bytes handed to libpq since it was last made to send.
    var unflushed = 0
    /// An exchange broke off in the middle: the next answer would belong to something else.
    var isUnusable = false
    /// A pooler is in front: the next transaction may not find what this one prepares or sets.
    private(set) var isPooled = false

    init(_ handle: OpaquePointer, options: PostgresOptions) {
        self.handle = handle
        self.options = options
        notices.attach(to: handle)
        // Only a verbose message tells the code of a failed connection attempt.
        PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
    }

    deinit {
        PQfinish(handle)
    }

    var isBroken: Bool { PQstatus(handle) == CONNECTION_BAD }

    /// Asks, in one round trip, what kind of server answers.
    func begin() throws(EngineError) {
        guard PQsetnonblocking(handle, 1) == 0, PQenterPipelineMode(handle) == 1 else { throw lost() }
        let sql = "SELECT pg_catalog.pg_backend_pid(), pg_catalog.current_setting('transaction_read_only')"
        let answer = PostgresAnswer(to: sql)
        try send(StatementText(name: nil, sql: sql), [], answer: answer)
        try waitForAnswers()
        let rows = try answer.take()
        // A pooler names a process of its own in its greeting.
        isPooled = rows[0].integer(0) != Int64(PQbackendPID(handle))
        // A standby is always read-only, whatever its settings say: https://www.postgresql.org/docs/15/hot-standby.html
        guard options.isWriter, rows[0].text(1) != "off" else { return }
        let place = PQhost(handle).map { String(cString: $0) } ?? "localhost"
        throw EngineError(.readOnly, sqlState: "25006", "\(place) accepts no writes")
    }

    /// False if nothing happened until `deadline`, and always after it, so that nobody waits for a server that never
    /// stops sending. False as well if only `waker` can be read.
    func waitForSocket(_ events: Int32, or waker: Int32? = nil, until deadline: ContinuousClock.Instant) -> Bool {
        var requests = [pollfd(fd: PQsocket(handle), events: Int16(events), revents: 0)]
        if let waker { requests.append(pollfd(fd: waker, events: Int16(POLLIN), revents: 0)) }
        // The socket is gone: libpq's next call reports it.
        guard requests[0].fd >= 0 else { return true }
        while true {
            let left = deadline - .now
            guard left > .zero else { return false }
            let count = poll(&requests, nfds_t(requests.count), Int32(clamping: left.milliseconds + 1))
            if count > 0 { return requests[0].revents != 0 }
            if count == 0 || errno != EINTR { return false }
        }
    }

    /// Sends until the kernel has taken everything. It also reads meanwhile, because a server that cannot send does not
    /// read.
    func flush(until deadline: ContinuousClock.Instant) throws(EngineError) {
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
    func nextResult(until deadline: ContinuousClock.Instant) throws(EngineError) -> OpaquePointer? {
        while PQisBusy(handle) == 1, !isBroken {
            let isSending = PQflush(handle) == 1
            guard waitForSocket(isSending ? POLLIN | POLLOUT : POLLIN, until: deadline) else { throw silent() }
            // After a failure, libpq still returns the results that had arrived.
            guard PQconsumeInput(handle) == 1 else { break }
        }
        return PQgetResult(handle)
    }

    private func silent() -> EngineError {
        EngineError(.connectionLost, "no answer within \(options.answer)")
    }

    /// The reason why the connection is gone, in the server's words if it could send any.
    func lost() -> EngineError {
        guard let closingReason = notices.closingReason else {
            let text = PQerrorMessage(handle).map { String(cString: $0) } ?? ""
            return EngineError(.connectionLost, printable(text.isEmpty ? "it was closed" : text))
        }
        let error = closingReason.error(sql: "")
        return error.kind == .shuttingDown ? error : error.with(.connectionLost)
    }

    var connectFailure: EngineError {
        let words = printable(PQerrorMessage(handle).map { String(cString: $0) } ?? "")
        let code = PostgresSession.code(in: words)
        return EngineError(code.map { EngineError.kind(of: $0) } ?? .connectionLost, sqlState: code ?? "", words)
    }

    /// Verbose messages have the form `… failed: FATAL:  28P01: password authentication failed for user "x"`.
    static func code(in words: String) -> String? {
        let bytes = Array(words.utf8)
        guard let mark = bytes.firstRange(of: Array(":  ".utf8)) else { return nil }
        let rest = bytes[mark.upperBound...]
        let code = rest.prefix { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
        guard code.count == 5, rest.dropFirst(5).starts(with: ": ".utf8) else { return nil }
        return String(decoding: code, as: UTF8.self)
    }
}

/// The version of the library that this process has loaded, such as 15.14
/// (https://www.postgresql.org/docs/15/libpq-misc.html).
public let libpqVersion = "\(PQlibVersion() / 10000).\(PQlibVersion() % 10000)"
