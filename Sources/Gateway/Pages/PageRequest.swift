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

    public enum Seen: Sendable {
        case nothing
        /// Everything up to this position of the ledger.
        case upTo(Int64)
    }

    public var stream: StreamName
    public var content: Content
    /// `Access-Control-Allow-Origin`, when the page comes from another origin that is allowed.
    public var allowedOrigin: String?
    /// When the signed name ends; the page is told to load itself again.
    public var expires: Instant?
    /// The element that opened it; nil when nothing will have to be said to it.
    public var source: SourceElement?
    /// What the page has seen; nil when only the ledger can tell what it is to be sent.
    public var seen: Seen?
    /// Starts reading what the page missed; calls back on another thread. False when the reader is too busy.
    public var readMissed: @Sendable (_ done: @escaping @Sendable (MissedMessages) -> Void) -> Bool

    public init(
        stream: StreamName,
        content: Content,
        allowedOrigin: String? = nil,
        expires: Instant? = nil,
        source: SourceElement? = nil,
        seen: Seen? = nil,
        readMissed: @escaping @Sendable (_ done: @escaping @Sendable (MissedMessages) -> Void) -> Bool
    ) {
        self.stream = stream
        self.content = content
        self.allowedOrigin = allowedOrigin
        self.expires = expires
        self.source = source
        self.seen = seen
        self.readMissed = readMissed
    }
}

/// What a page missed, read from the ledger.
public struct MissedMessages: Sendable {
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
    /// What the page named was unknown, or too long ago: it got the newest state, not everything since.
    public var hasGap: Bool

    public init(through: Int64, messages: [Message], extent: Extent = .whole, hasGap: Bool = false) {
        self.through = through
        self.messages = messages
        self.extent = extent
        self.hasGap = hasGap
    }

    /// Without the parts that a newer one makes superfluous.
    var collapsed: MissedMessages {
        var missed = self
        var newer: Set<String> = []
        missed.messages = messages.reversed().compactMap { message in
            let parts = message.parts.reversed().filter { part in
                part.collapseKey.map { newer.insert($0).inserted } ?? true
            }
            guard !parts.isEmpty else { return nil }
            return Message(stream: message.stream, position: message.position, parts: parts.reversed())
        }.reversed()
        return missed
    }
}
