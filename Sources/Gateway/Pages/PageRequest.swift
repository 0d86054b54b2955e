public import Domain
public import Hub

/// A page that wants to follow a stream.
public struct PageRequest: Sendable {
    public enum Content: Sendable {
        /// Fragments: SSE or WebSocket, as the page asks.
        case fragments
        /// Committed events for developers: always SSE.
        case feed(FeedFilter)
    }

    public var stream: StreamName
    public var content: Content
    /// What the page says it has; nil when it says nothing.
    public var since: Cursor?
    /// `Access-Control-Allow-Origin`, when the page comes from another origin that is allowed.
    public var allowedOrigin: String?
    /// Starts reading what the page missed; calls back on another thread. False when the reader is too busy.
    public var replay: @Sendable (_ done: @escaping @Sendable (Replay) -> Void) -> Bool

    public init(
        stream: StreamName,
        content: Content,
        since: Cursor?,
        allowedOrigin: String?,
        replay: @escaping @Sendable (_ done: @escaping @Sendable (Replay) -> Void) -> Bool
    ) {
        self.stream = stream
        self.content = content
        self.since = since
        self.allowedOrigin = allowedOrigin
        self.replay = replay
    }
}

/// What a page missed, read from the ledger.
public struct Replay: Sendable {
    /// The newest position at the moment of reading: everything up to it is in `messages` or concerns others.
    public var through: Int64
    public var messages: [Message]
    /// False: the ledger could not be read; the page has to come back.
    public var isComplete: Bool

    public init(through: Int64, messages: [Message], isComplete: Bool = true) {
        self.through = through
        self.messages = messages
        self.isComplete = isComplete
    }
}
