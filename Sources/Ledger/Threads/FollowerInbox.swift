internal import Domain
internal import LedgerSQL
internal import SharedLedger

/// What the log's thread answers: what it has read, or nothing when it could not.
struct LogReading: Sendable {
    var entries: [Entry]?
    var erased = ErasedUsers.nobody
    /// Whether there may be more.
    var hasMore = false
}

/// What waits for the follower, bounded: what does not fit is read from the log, or was a message, which may get lost.
struct FollowerInbox: Sendable {
    static let entryLimit = 10_000
    static let byteLimit = 4 << 20

    private(set) var committed: [Entry] = []
    /// The newest position that this node has committed.
    private(set) var newest: Int64 = 0
    private(set) var reading: LogReading?
    /// The newest position that was heard of.
    private(set) var position: Int64 = 0
    private(set) var messages: [NodeMessage] = []
    /// Messages may have been missed.
    private(set) var isInterrupted = false
    var isClosed = false
    private var bytes = 0

    var isEmpty: Bool {
        committed.isEmpty && reading == nil && position == 0 && messages.isEmpty && !isInterrupted
    }

    mutating func add(committed entries: [Entry]) {
        newest = entries.last?.position ?? newest
        guard committed.count + entries.count <= FollowerInbox.entryLimit else {
            // Nothing after a hole may come out before it is read.
            position = max(position, newest)
            return
        }
        committed += entries
    }

    mutating func add(_ reading: LogReading) {
        self.reading = reading
    }

    mutating func add(_ news: NodeNews) {
        switch news {
        case .connected:
            isInterrupted = true
            position = .max
        case .deaf: isInterrupted = true
        case .position(let newest): position = max(position, newest)
        case .message(let message):
            // Even an empty one takes memory.
            guard bytes + message.body.count + 64 <= FollowerInbox.byteLimit else { return isInterrupted = true }
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
