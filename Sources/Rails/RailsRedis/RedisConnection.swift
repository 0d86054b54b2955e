import CHiredis
import Glibc
import Support

/// One connection. Its calls do not block, except that resolving a host name does. Confined to one thread.
final class RedisConnection {
    /// The most bytes to buffer for an incomplete message.
    private static let limit = 64 << 20

    private let context: UnsafeMutablePointer<redisContext>
    private var hasToWrite = true

    /// Begins to connect; the first use shows whether that succeeded.
    init(_ address: RedisURL.Address) throws(BroadcastProblem) {
        let opened =
            switch address {
            case .tcp(let host, let port): redisConnectNonBlock(host, Int32(port))
            case .unix(let path): redisConnectUnixNonBlock(path)
            }
        guard let opened else { throw .unreachable("out of memory") }
        guard opened.pointee.err == 0 else {
            defer { redisFree(opened) }
            throw problem(of: opened)
        }
        context = opened
        _ = fcntl(opened.pointee.fd, F_SETFD, FD_CLOEXEC)
    }

    deinit {
        redisFree(context)
    }

    /// What to wait for. `isRead` is false while there is no room for more messages.
    func interest(isRead: Bool) -> PolledSocket {
        PolledSocket(context.pointee.fd, forReading: isRead, forWriting: hasToWrite)
    }

    /// Appends a command to the output buffer.
    func append(_ words: [String]) {
        let copies = words.map { strdup($0) }
        defer { copies.forEach { free($0) } }
        var pointers = copies.map { UnsafePointer<CChar>($0) }
        let lengths = words.map(\.utf8.count)
        redisAppendCommandArgv(context, Int32(words.count), &pointers, lengths)
        hasToWrite = true
    }

    /// Writes as much as the socket takes.
    func write() throws(BroadcastProblem) {
        guard hasToWrite else { return }
        var isDone: Int32 = 0
        guard redisBufferWrite(context, &isDone) == REDIS_OK else { throw problem(of: context) }
        hasToWrite = isDone == 0
    }

    /// Writes and reads what a ready socket allows; reads 16 KiB at most.
    func exchange(isRead: Bool) throws(BroadcastProblem) {
        // The socket is ready although it waits for nothing, so it has failed.
        guard isRead || hasToWrite else { throw .closed }
        try write()
        if isRead { try read() }
    }

    private func read() throws(BroadcastProblem) {
        guard redisBufferRead(context) == REDIS_OK else { throw problem(of: context) }
        guard let reader = context.pointee.reader, reader.pointee.len - reader.pointee.pos <= RedisConnection.limit
        else { throw .tooMuch }
    }

    /// Takes the next complete reply out of the input buffer.
    func next() throws(BroadcastProblem) -> RedisReply? {
        var reply: UnsafeMutableRawPointer?
        guard redisGetReplyFromReader(context, &reply) == REDIS_OK else { throw problem(of: context) }
        guard let reply else { return nil }
        defer { freeReplyObject(reply) }
        return RedisReply(reply.assumingMemoryBound(to: redisReply.self).pointee)
    }
}

private func problem(of context: UnsafeMutablePointer<redisContext>) -> BroadcastProblem {
    switch context.pointee.err {
    case REDIS_ERR_EOF: .closed
    case REDIS_ERR_PROTOCOL: .notRedis
    default:
        .unreachable(
            withUnsafeBytes(of: context.pointee.errstr) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        )
    }
}

/// The version of the hiredis headers at build time; the library itself does not report one.
public let hiredisVersion = "\(HIREDIS_MAJOR).\(HIREDIS_MINOR).\(HIREDIS_PATCH)"

/// Contains nothing that was sent to Redis, such as passwords.
extension BroadcastProblem {
    static let connecting = BroadcastProblem(startingProblem)
    static let closed = BroadcastProblem("it closed the connection; look at its log")
    /// Connected, but heartbeats do not come back.
    static let silent = BroadcastProblem(
        "it accepts connections, but a heartbeat published through it does not come back; check whether it hangs"
    )
    static let notRedis = BroadcastProblem("the server that answers is not Redis; check REDIS_URL")
    static let tooMuch = BroadcastProblem(
        "it sent a message of more than 64 MiB; find the program that publishes it"
    )

    /// `reason` is the text of the system or the resolver.
    static func unreachable(_ reason: String) -> BroadcastProblem {
        BroadcastProblem("\(reason); check REDIS_URL and whether Redis runs")
    }

    /// `code` is the first word of Redis' error; the rest may repeat a password.
    static func refused(command: String, code: String) -> BroadcastProblem {
        let text =
            switch (command, code) {
            case (_, "WRONGPASS"), ("AUTH", "ERR"): "it refused the user or the password; check REDIS_URL"
            case (_, "NOAUTH"): "it requires a password; add it to REDIS_URL, as in redis://:PASSWORD@HOST"
            case (_, "NOPERM"): "its user may not run \(command); allow +psubscribe, +publish and the channels"
            default: "it answered \(command) with the error \(code); look at its log"
            }
        return BroadcastProblem(text)
    }
}
