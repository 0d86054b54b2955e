import HTTP
import Support

/// One client that speaks HTTP/2: its session and its streams, each of which its loop treats as a connection. Confined
/// to the loop's thread.
///
/// Nothing is read while something waits to be written, so what we owe a client never exceeds one buffer.
final class HTTP2Connection {
    let session: ServerSession
    let socket: Socket
    /// The open streams by their number, each with the request that it carries.
    private(set) var streams: [Int32: (stream: HTTP2Stream, request: Connection)] = [:]
    /// The requests whose clients have taken everything that was written.
    private var drained: [Connection] = []
    /// Its socket's, which holds it, and the loop of both.
    unowned let connection: Connection
    private unowned let loop: SocketLoop
    private var isFlushing = false
    /// The session or the socket takes nothing more.
    private(set) var isBroken = false
    private var requests = 0
    /// How long it has been doing the same.
    private var idle = (occupation: Occupation.serving, progress: 0, since: MonotonicTime(0))

    /// One turn writes at most 256 KiB, so that the other clients get theirs.
    private static let rounds = 16
    private static let pieceSize = 16 << 10

    /// Nil when nghttp2 has no memory.
    init?(_ connection: Connection, socket: Socket, loop: SocketLoop) {
        guard let session = ServerSession() else { return nil }
        self.session = session
        self.socket = socket
        self.connection = connection
        self.loop = loop
        session.source = { [unowned self] in pull($0, into: $1) }
    }

    // MARK: Streams

    /// Whether it has no request open.
    var isIdle: Bool { streams.isEmpty }

    /// A request has arrived.
    func add(_ stream: HTTP2Stream, for request: Connection) {
        streams[stream.id] = (stream, request)
        requests += 1
    }

    /// Returns the stream's request; nil when it has gone already.
    func remove(_ id: Int32) -> Connection? { streams.removeValue(forKey: id)?.request }

    // MARK: Writing

    /// Sends the waiting frames, as far as the socket and the client's windows allow. Does nothing when called from
    /// within: a stream that this call resumes only adds to what it sends.
    func flush() {
        guard !isFlushing, !isBroken else { return }
        isFlushing = true
        let hasMore = sendRounds()
        isFlushing = false
        if session.hasEvents || hasMore { loop.pending.append(connection) }
    }

    /// Returns true if more can be sent once the other clients have had their turn.
    private func sendRounds() -> Bool {
        for _ in 0..<HTTP2Connection.rounds {
            guard !socket.isBehind else { return false }
            var frames: [UInt8] = []
            guard session.fill(&frames, limit: HTTP2Connection.pieceSize), socket.write(frames) else {
                isBroken = true
                return false
            }
            let resumed = drained
            drained = []
            for request in resumed { loop.advance(request) }
            if frames.isEmpty { return false }
        }
        return true
    }

    /// Called by the session.
    private func pull(_ id: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Pull {
        guard let (stream, request) = streams[id] else { return .broken }
        let wasBehind = stream.isBehind
        let pull = stream.pull(into: buffer)
        if wasBehind, !stream.isBehind { drained.append(request) }
        return pull
    }

    // MARK: Deadlines

    /// The activity of a client.
    enum Occupation: Sendable {
        /// It has not sent a request yet.
        case beginning
        /// It has no request open.
        case idle
        /// It has requests open, which the loop watches one by one.
        case serving
        /// It does not take what it is sent.
        case writing
    }

    private var occupation: Occupation {
        if socket.isBehind { return .writing }
        guard isIdle else { return .serving }
        return requests == 0 ? .beginning : .idle
    }

    /// Call once a second. Returns what the client was too slow with, if its time is up.
    func overdue(at now: MonotonicTime, limits: Limits) -> Occupation? {
        session.passSecond()
        let occupation = occupation
        // Pings and settings are not progress: they would keep an idle connection open forever.
        let progress = socket.isBehind ? Int(truncatingIfNeeded: socket.confirmedBytes) : requests
        guard occupation == idle.occupation, progress == idle.progress else {
            idle = (occupation, progress, now)
            return nil
        }
        let seconds: Int
        switch occupation {
        case .beginning: seconds = limits.headerSeconds
        case .idle: seconds = limits.idleSeconds
        case .serving: return nil
        case .writing: seconds = limits.writeSeconds
        }
        return now - idle.since >= UInt64(max(0, seconds)) * 1_000_000_000 ? occupation : nil
    }
}
