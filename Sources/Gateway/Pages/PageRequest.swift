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
    /// `Access-Control-Allow-Origin`, when the page comes from another origin that is allowed.
    public var allowedOrigin: String?
    /// Starts reading what the page missed; calls back on another thread. False when the reader is too busy.
    public var replay: @Sendable (_ done: @escaping @Sendable (PageReplay) -> Void) -> Bool

    public init(
        stream: StreamName,
        content: Content,
        allowedOrigin: String?,
        replay: @escaping @Sendable (_ done: @escaping @Sendable (PageReplay) -> Void) -> Bool
    ) {
        self.stream = stream
        self.content = content
        self.allowedOrigin = allowedOrigin
        self.replay = replay
    }
}

/// What a page missed, read from the ledger.
public struct PageReplay: Sendable {
    public enum Extent: Sendable {
        case whole
        /// There is more than one answer should hold: the page comes back for the rest.
        case partial
        /// The ledger could not be read: the page has to come back.
        case unreadable
    }

    /// The newest position at the moment of reading: everything up to it is in `messages` or concerns others.
    public var through: Int64
    public var messages: [Message]
    public var extent: Extent

    public init(through: Int64, messages: [Message], extent: Extent = .whole) {
        self.through = through
        self.messages = messages
        self.extent = extent
    }
}
