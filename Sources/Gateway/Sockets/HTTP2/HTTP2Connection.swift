import HTTP

/// One client that speaks HTTP/2: its session and its streams, each of which its loop treats as a connection. Confined
/// to the loop's thread.
///
/// Nothing is read while something waits to be written, so what we owe a client never exceeds one buffer.
final class HTTP2Connection {
    let session: ServerSession
    let socket: Socket
    private let table: StreamTable
    /// Called for a stream whose client has taken everything that was written.
    private let resume: (HTTP2Stream) -> Void
    /// Called when the session has events, or when more has to be sent at another turn.
    private let wake: () -> Void
    private var isFlushing = false
    /// The session or the socket takes nothing more.
    private(set) var isBroken = false
    /// More can be sent once the other clients have had their turn.
    private(set) var hasMore = false
    private var requests = 0
    private var written = 0
    private var idle = IdlePolicy()

    /// One turn writes at most 256 KiB, so that the other clients get theirs.
    private static let rounds = 16
    private static let pieceSize = 16 << 10

    /// Nil when nghttp2 has no memory.
    init?(socket: Socket, resume: @escaping (HTTP2Stream) -> Void, wake: @escaping () -> Void) {
        let table = StreamTable()
        guard let session = ServerSession(source: { table.pull($0, into: $1) }) else { return nil }
        self.session = session
        self.socket = socket
        self.table = table
        self.resume = resume
        self.wake = wake
    }

    // MARK: Streams

    /// The open streams by their number.
    var streams: [Int32: HTTP2Stream] { table.streams }

    /// Whether it has no request open.
    var isIdle: Bool { table.streams.isEmpty }

    /// A request has arrived.
    func add(_ stream: HTTP2Stream) {
        table.streams[stream.id] = stream
        requests += 1
    }

    /// Returns the stream; nil when it has gone already.
    func remove(_ id: Int32) -> HTTP2Stream? { table.streams.removeValue(forKey: id) }

    // MARK: Writing

    /// Sends the waiting frames, as far as the socket and the client's windows allow. Does nothing when called from
    /// within: a stream that this call resumes only adds to what it sends.
    func flush() {
        guard !isFlushing, !isBroken else { return }
        isFlushing = true
        defer {
            isFlushing = false
            if session.hasEvents || hasMore { wake() }
        }
        hasMore = false
        for _ in 0..<HTTP2Connection.rounds {
            guard !socket.isBehind else { return }
            var frames: [UInt8] = []
            guard session.fill(&frames, limit: HTTP2Connection.pieceSize), socket.write(frames) else {
                isBroken = true
                return
            }
            written += frames.count
            for stream in table.takeDrained() { resume(stream) }
            if frames.isEmpty { return }
        }
        hasMore = true
    }

    // MARK: Deadlines

    /// Call once a second. Returns what the client was too slow with, if its time is up.
    func overdue(at now: UInt64, limits: Limits) -> IdlePolicy.Occupation? {
        session.passSecond()
        let occupation: IdlePolicy.Occupation =
            if socket.isBehind {
                .writing
            } else if isIdle {
                requests == 0 ? .beginning : .idle
            } else {
                .serving
            }
        // Pings and settings are not progress: they would keep an idle connection open forever.
        let progress = socket.isBehind ? Int(truncatingIfNeeded: socket.confirmedBytes) : requests
        return idle.isOver(occupation, progress: progress, at: now, limits: limits) ? occupation : nil
    }
}

/// The state that a session's source and its connection share.
private final class StreamTable {
    var streams: [Int32: HTTP2Stream] = [:]
    private var drained: [HTTP2Stream] = []

    func pull(_ id: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Pull {
        guard let stream = streams[id] else { return .broken }
        let wasBehind = stream.isBehind
        let pull = stream.pull(into: buffer)
        if wasBehind, !stream.isBehind { drained.append(stream) }
        return pull
    }

    func takeDrained() -> [HTTP2Stream] {
        defer { drained = [] }
        return drained
    }
}

/// How long a connection may keep doing the same thing.
struct IdlePolicy {
    /// The activity of a client.
    enum Occupation: Equatable, Sendable {
        /// It has not sent a request yet.
        case beginning
        /// It has no request open.
        case idle
        /// It has requests open, which the loop watches one by one.
        case serving
        /// It does not take what it is sent.
        case writing
    }

    private var occupation = Occupation.serving
    private var progress = 0
    private var since: UInt64 = 0

    /// Returns true when nothing has changed for too long. `now` is in nanoseconds.
    mutating func isOver(_ occupation: Occupation, progress: Int, at now: UInt64, limits: Limits) -> Bool {
        guard occupation == self.occupation, progress == self.progress else {
            self.occupation = occupation
            self.progress = progress
            since = now
            return false
        }
        guard let seconds = IdlePolicy.seconds(for: occupation, limits: limits) else { return false }
        return now - since >= UInt64(max(0, seconds)) * 1_000_000_000
    }

    /// Nil: there is no limit.
    static func seconds(for occupation: Occupation, limits: Limits) -> Int? {
        switch occupation {
        case .beginning: limits.headerSeconds
        case .idle: limits.idleSeconds
        case .serving: nil
        case .writing: limits.writeSeconds
        }
    }
}
