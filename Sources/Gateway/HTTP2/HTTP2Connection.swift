internal import Glibc
internal import HTTP2
internal import Runtime

/// One client that speaks HTTP/2: its TLS, its session and its streams. Confined to the front door's thread.
///
/// Nothing is read while something waits to be written, so what we owe a client never grows beyond one buffer.
final class HTTP2Connection {
    enum Turn {
        /// Until its socket stirs.
        case waits
        /// More can be done, after the others had their turn.
        case hasMore
        case over
    }

    private enum Flush {
        case empty, waits, hasMore, over
    }

    let tag: UInt64
    let peer: IPAddress?
    let session: ServerSession
    private let channel: TLSChannel
    private let streams: Streams
    private var isShaken = false
    /// Its socket may have something: nothing is asked of the kernel while it has not.
    private var isReadable = true
    /// It broke the rules: what is to be said yet is the last thing.
    private(set) var isAbusive = false
    private var output: ArraySlice<UInt8> = []
    private var isBlocked = false
    private var written = 0
    private var requests = 0
    private var patience = Patience()

    /// One turn reads and writes 64 KiB at the most, so that the others get theirs.
    private static let rounds = 4
    static let bufferSize = 16 << 10

    init?(tag: UInt64, peer: IPAddress?, channel: TLSChannel) {
        let streams = Streams()
        guard let session = ServerSession(source: { streams.open[$0]?.pull(into: $1) ?? .broken }) else { return nil }
        (self.tag, self.peer, self.channel, self.session, self.streams) = (tag, peer, channel, session, streams)
    }

    /// Those that are open, by their number.
    var open: [Int32: HTTP2Stream] { streams.open }

    func add(_ stream: HTTP2Stream) {
        streams.open[stream.id] = stream
        requests += 1
    }

    func remove(_ id: Int32) -> HTTP2Stream? { streams.open.removeValue(forKey: id) }

    /// Its socket has changed.
    func stirred() {
        isReadable = true
    }

    /// Reads and writes what it can. `handle` gets what the client's frames came to.
    func turn(_ buffer: UnsafeMutableRawBufferPointer, _ handle: ([SessionEvent]) -> Void) -> Turn {
        if !isShaken {
            switch channel.handshake() {
            case .done: isShaken = true
            case .waits: return .waits
            case .ended: return .over
            }
        }
        for _ in 0..<HTTP2Connection.rounds {
            let flush = flush()
            handle(session.takeEvents())
            switch flush {
            case .over: return .over
            case .waits: return .waits
            case .hasMore: return .hasMore
            case .empty where session.isOver || isAbusive: return .over
            case .empty: break
            }
            guard isReadable else { return .waits }
            switch channel.read(into: buffer) {
            case .ended: return .over
            case .waits:
                isReadable = false
                return .waits
            case .done(let count):
                isAbusive = !session.receive(UnsafeRawBufferPointer(rebasing: buffer.prefix(count)))
                handle(session.takeEvents())
            }
        }
        return .hasMore
    }

    private func flush() -> Flush {
        for _ in 0..<HTTP2Connection.rounds {
            if output.isEmpty {
                var frames: [UInt8] = []
                guard session.fill(&frames, limit: HTTP2Connection.bufferSize) else { return .over }
                output = frames[...]
            }
            guard !output.isEmpty else { return .empty }
            switch channel.write(output) {
            case .ended: return .over
            case .waits:
                isBlocked = true
                return .waits
            case .done(let count):
                isBlocked = false
                written += count
                output = count == output.count ? [] : output.dropFirst(count)
            }
        }
        return .hasMore
    }

    // MARK: Deadlines

    /// Once a second. What it was too slow with, when its time is up.
    func overdue(at now: UInt64, _ limits: Limits) -> Patience.Occupation? {
        session.passSecond()
        let occupation: Patience.Occupation =
            if !isShaken {
                .shaking
            } else if isBlocked {
                .writing
            } else if streams.open.isEmpty {
                requests == 0 ? .beginning : .idle
            } else {
                .serving
            }
        // Pings and settings are no progress: they would keep an idle connection for ever.
        let progress = isBlocked ? written : requests
        return patience.isOver(occupation, progress, at: now, limits) ? occupation : nil
    }
}

/// What a session's source and its connection share.
private final class Streams {
    var open: [Int32: HTTP2Stream] = [:]
}
