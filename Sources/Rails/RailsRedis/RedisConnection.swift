import HTTPClient
import Support

/// One connection, over TCP, TLS or a Unix socket. Only opening it may block. Confined to one thread.
final class RedisConnection {
    private let connection: ByteConnection
    private let reader: RedisReader
    private let buffer: UnsafeMutableRawBufferPointer
    /// What the socket has not taken yet.
    private var output: [UInt8] = []
    /// Whether bytes are left that the socket may not show: TLS decrypts a whole record at once.
    private(set) var hasMore = false

    /// Waits for `patience` at most.
    init(_ settings: RedisSettings, patience: Duration) throws(BroadcastProblem) {
        reader = try RedisReader()
        do throws(ByteConnectionError) {
            connection = try ByteConnection(to: settings.place, timeout: patience)
        } catch {
            throw BroadcastProblem(error)
        }
        // Last: nothing throws after it.
        buffer = .allocate(byteCount: 16 << 10, alignment: 1)
    }

    deinit {
        buffer.deallocate()
    }

    /// What to wait for. `isRead` is false while there is no room for more messages.
    func interest(isRead: Bool) -> PolledSocket {
        PolledSocket(connection.descriptor, forReading: isRead, forWriting: !output.isEmpty)
    }

    /// Appends a command to the output.
    func append(_ words: [String]) {
        output += "*\(words.count)\r\n".utf8
        for word in words { output += "$\(word.utf8.count)\r\n\(word)\r\n".utf8 }
    }

    /// Writes as much as the socket takes.
    func write() throws(BroadcastProblem) {
        while !output.isEmpty {
            let count = output.withUnsafeBytes { bytes in try? connection.send(bytes) }
            guard let count else { throw .closed }
            guard count > 0 else { return }
            output.removeFirst(count)
        }
    }

    /// Writes and reads what a ready socket allows; reads 64 KiB at most.
    func exchange(isRead: Bool) throws(BroadcastProblem) {
        // The socket is ready although it waits for nothing, so it has failed.
        guard isRead || !output.isEmpty else { throw .closed }
        try write()
        if isRead { try read() }
    }

    private func read() throws(BroadcastProblem) {
        hasMore = true
        for round in 0..<4 {
            let count: Int?
            do throws(ByteConnectionError) {
                count = try connection.receive(into: buffer)
            } catch {
                // What came before the end says why.
                guard round == 0 else { return }
                throw BroadcastProblem(error)
            }
            guard let count else { return hasMore = false }
            try reader.feed(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// Takes the next reply that is complete.
    func next() throws(BroadcastProblem) -> RedisReply? { try reader.next() }
}

/// Contains nothing that was sent to Redis, such as passwords.
extension BroadcastProblem {
    static let connecting = BroadcastProblem(startingProblem)
    static let closed = BroadcastProblem(
        "it closed the connection; look at its log, and write rediss:// in REDIS_URL if it takes TLS alone"
    )
    /// Connected, but heartbeats do not come back.
    static let silent = BroadcastProblem(
        "it accepts connections, but a heartbeat published through it does not come back; check whether it hangs"
    )
    static let notRedis = BroadcastProblem(
        "the server that answers is not Redis, or takes TLS alone; check REDIS_URL, which says rediss:// for TLS"
    )
    static let tooMuch = BroadcastProblem(
        "it sent a message of more than \(RedisReader.limit >> 20) MiB; find the program that publishes it"
    )

    /// `reason` is the system's text.
    static func unreachable(_ reason: String) -> BroadcastProblem {
        BroadcastProblem("\(reason); check REDIS_URL and whether Redis runs")
    }

    init(_ error: ByteConnectionError) {
        switch error {
        case .unreachable(let reason), .failed(let reason): self = .unreachable(reason)
        case .unknownHost: self.init("its host is unknown; check REDIS_URL and the name server")
        case .timedOut:
            self = .unreachable("it does not answer in time, as a Redis without TLS where REDIS_URL says rediss://")
        case .closed: self = .closed
        case .noTLS: self.init("it does not speak TLS there; write its port for TLS in REDIS_URL, or redis://")
        case .noAuthorities: self.init("SSL_CERT_FILE cannot be read, or has no certificate in PEM")
        case .certificate(let flaw): self.init("its certificate is not trusted: \(flaw)")
        }
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
