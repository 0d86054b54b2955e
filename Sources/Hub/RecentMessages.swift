internal import Domain

/// The newest messages of all streams, bounded in bytes: what a page that comes back soon has missed is answered from
/// here, without a question to the ledger.
///
/// Everything after `floor` is here, or was of streams that nobody has to be told of: positions arrive in order.
struct RecentMessages {
    /// More for one page is a long absence: the ledger knows what to leave out.
    static let replayLimit = 100

    private let byteLimit: Int
    private(set) var floor: Int64
    private var streams: [StreamName: ArraySlice<Message>] = [:]
    /// Of streams whose messages are here: up to which position they would be rendered otherwise now.
    private var outdated: [StreamName: Int64] = [:]
    /// Oldest first, from `first` on.
    private var order: [(stream: StreamName, position: Int64, bytes: Int)] = []
    private var first = 0
    private(set) var bytes = 0

    init(byteLimit: Int, position: Int64) {
        self.byteLimit = byteLimit
        floor = position
    }

    /// `message` is newer than all before it.
    mutating func add(_ message: Message, at position: Int64) {
        let size = message.parts.reduce(128) { $0 + $1.cost }
        streams[message.stream, default: []].append(message)
        order.append((message.stream, position, size))
        bytes += size
        while bytes > byteLimit { dropOldest() }
    }

    /// What was published on a stream after a position, oldest first. Nil: that is too long ago, or too much.
    func messages(on stream: StreamName, after position: Int64) -> [Message]? {
        guard position >= floor, position >= outdated[stream] ?? 0 else { return nil }
        let messages = streams[stream]?.reversed().prefix { $0.position ?? 0 > position } ?? []
        guard messages.reduce(0, { $0 + $1.parts.count }) <= RecentMessages.replayLimit else { return nil }
        return messages.reversed()
    }

    /// The newest state of a stream. Nil: something was published before what is kept, or stays without being replaced.
    func newest(on stream: StreamName) -> [Message]? {
        guard floor == 0, let messages = messages(on: stream, after: 0),
            messages.allSatisfy({ $0.parts.allSatisfy { $0.collapseKey != nil } })
        else { return nil }
        return messages
    }

    /// From now on nothing up to `position` is known.
    mutating func forget(through position: Int64) {
        self = RecentMessages(byteLimit: byteLimit, position: position)
    }

    /// From now on nothing that was published on this stream is known.
    mutating func forget(_ stream: StreamName) {
        outdated[stream] = streams[stream]?.last?.position
    }

    private mutating func dropOldest() {
        let (stream, position, size) = order[first]
        first += 1
        bytes -= size
        floor = position
        streams[stream]?.removeFirst()
        if streams[stream]?.isEmpty == true { (streams[stream], outdated[stream]) = (nil, nil) }
        // In bulk, so that one more message does not move the whole list.
        guard first > order.count / 2 else { return }
        order.removeFirst(first)
        first = 0
    }
}
