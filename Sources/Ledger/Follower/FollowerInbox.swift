import Domain

/// The answer of the log's thread: the entries that it has read, or none when it could not.
struct LogReading: Sendable {
    var entries: [Entry]?
    var erased = ErasedUsers.nobody
    /// Whether there may be more.
    var hasMore = false
}

/// Items that wait for the follower, bounded: entries that do not fit are read from the log, and messages may get lost.
struct FollowerInbox: Sendable {
    static let entryLimit = 10_000
    /// Of own commits: what their fragments hold.
    static let entryByteLimit = 32 << 20
    /// Of messages.
    static let byteLimit = 4 << 20

    private(set) var committed: [Entry] = []
    /// The newest position that this node has committed.
    private(set) var newest: Int64 = 0
    var reading: LogReading?
    /// The newest position that was heard of.
    private(set) var position: Int64 = 0
    private(set) var messages: [NodeMessage] = []
    /// Messages may have been missed.
    private(set) var isInterrupted = false
    /// Messages that did not fit.
    private(set) var dropped = 0
    var isClosed = false
    private var bytes = 0
    private var entryBytes = 0

    var isEmpty: Bool {
        committed.isEmpty && reading == nil && position == 0 && messages.isEmpty && !isInterrupted
    }

    mutating func add(committed entries: [Entry]) {
        newest = entries.last?.position ?? newest
        let added = entries.reduce(0) { $0 + $1.approximateBytes }
        let fits =
            committed.count + entries.count <= FollowerInbox.entryLimit
            && entryBytes + added <= FollowerInbox.entryByteLimit
        guard fits else {
            // Nothing after a hole may come out before it is read.
            position = max(position, newest)
            return
        }
        committed += entries
        entryBytes += added
    }

    mutating func add(_ news: NodeNews) {
        switch news {
        case .connected:
            isInterrupted = true
            position = .max
        case .disconnected: isInterrupted = true
        case .position(let newest): position = max(position, newest)
        case .message(let message):
            // Even an empty one takes memory.
            guard bytes + message.body.count + 64 <= FollowerInbox.byteLimit else {
                isInterrupted = true
                dropped += 1
                return
            }
            bytes += message.body.count + 64
            messages.append(message)
        }
    }

    /// Takes everything.
    mutating func take() -> FollowerInbox {
        let taken = self
        self = FollowerInbox()
        isClosed = taken.isClosed
        newest = taken.newest
        return taken
    }
}

extension Entry {
    /// Roughly its size in memory, in bytes.
    fileprivate var approximateBytes: Int { fragments.reduce(256) { $0 + 256 + $1.size } }
}
