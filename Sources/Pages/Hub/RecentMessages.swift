import Domain

/// The newest messages of all streams, bounded in bytes: they answer a page that comes back soon, without the ledger.
///
/// Positions arrive in order, so every message after `floor` is here, except those of internal streams, which the hub never
/// adds.
struct RecentMessages {
    /// A page that missed more parts has been away for long: the ledger knows what it can leave out.
    static let partLimit = 100

    private let byteLimit: Int
    private(set) var floor: Int64
    private var streams: [StreamName: ArraySlice<Message>] = [:]
    /// For streams with messages here: messages up to this position would be rendered differently now.
    private var outdated: [StreamName: Int64] = [:]
    /// Oldest first, from `first` on.
    private var order: [(stream: StreamName, position: Int64, bytes: Int)] = []
    private var first = 0
    private(set) var bytes = 0

    init(byteLimit: Int, position: Int64) {
        self.byteLimit = byteLimit
        floor = position
    }

    /// `message` is newer than all messages before it.
    mutating func add(_ message: Message, at position: Int64) {
        let size = 128 + message.cost
        streams[message.stream, default: []].append(message)
        order.append((message.stream, position, size))
        bytes += size
        while bytes > byteLimit { dropOldest() }
    }

    /// The messages on a stream after a position, oldest first. Nil when that is too long ago, or they are too many.
    func messages(on stream: StreamName, after position: Int64) -> [Message]? {
        guard position >= floor, position >= outdated[stream] ?? 0 else { return nil }
        let messages = streams[stream]?.reversed().prefix { $0.position ?? 0 > position } ?? []
        guard messages.reduce(0, { $0 + $1.parts.count }) <= RecentMessages.partLimit else { return nil }
        return messages.reversed()
    }

    /// The newest state of a stream, without what is news. Nil when messages have been forgotten, or when a part has no
    /// collapse key.
    func newest(on stream: StreamName) -> [Message]? {
        guard floor == 0, let messages = messages(on: stream, after: 0),
            messages.allSatisfy({ $0.parts.allSatisfy { $0.collapseKey != nil } })
        else { return nil }
        return messages.compactMap { message in
            let parts = message.parts.filter { $0.collapseKey?.isNews != true }
            return parts.isEmpty ? nil : Message(stream: stream, position: message.position, parts: parts)
        }
    }

    /// Forgets everything up to `position`.
    mutating func forget(through position: Int64) {
        self = RecentMessages(byteLimit: byteLimit, position: position)
    }

    /// Forgets what has been published on this stream.
    mutating func forget(_ stream: StreamName) { outdated[stream] = streams[stream]?.last?.position }

    /// Forgets what has been published on this stream, and drops its messages. Their places stay, for `dropOldest`.
    mutating func erase(_ stream: StreamName) {
        forget(stream)
        guard let messages = streams[stream] else { return }
        streams[stream] = ArraySlice(messages.map { Message(stream: stream, position: $0.position, parts: []) })
    }

    private mutating func dropOldest() {
        let (stream, position, size) = order[first]
        first += 1
        bytes -= size
        floor = position
        streams[stream]?.dropOldest()
        if streams[stream]?.isEmpty == true { (streams[stream], outdated[stream]) = (nil, nil) }
        // In bulk, so that one more message does not move the whole list.
        guard first > order.count / 2 else { return }
        order.removeFirst(first)
        first = 0
    }
}

extension ArraySlice<Message> {
    /// A slice keeps what was before it until it grows, so the message is emptied: its bytes no longer count.
    fileprivate mutating func dropOldest() {
        guard let oldest = first else { return }
        self[startIndex] = Message(stream: oldest.stream, position: nil, parts: [])
        removeFirst()
    }
}
