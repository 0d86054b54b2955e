public import Domain

/// A page that wants to follow a stream, or several over one connection.
public struct PageRequest: Sendable {
    /// Starts to read what comes after a position, and calls back on another thread. False when the reader is too busy.
    public typealias Reading =
        @Sendable (_ position: Int64, _ done: @escaping @Sendable (CatchUpBatch) -> Void) -> Bool

    public var stream: StreamName
    /// Those of a page that follows several, whose union is `stream`; otherwise none.
    public var members: [StreamName]
    /// Committed events for developers, always over SSE; nil for fragments, over SSE or WebSocket, as the page asks. A ledger
    /// is too long for one answer, so `reading` reads what comes after a position, part by part.
    public var feed: (filter: EntrySelection, reading: Reading)?
    /// `Access-Control-Allow-Origin`, when the page comes from another origin that is allowed.
    public var allowedOrigin: String?
    /// When the signed name expires; the page is then told to reload.
    public var expires: Instant?
    /// The element that opened it; nil when it will never have to be addressed.
    public var source: SourceElement?
    /// Which refreshes the page receives when it catches up.
    public var refreshes: RefreshPolicy
    /// The cursor of a page that follows fragments: two pages of a stream that have seen the same have missed the same.
    public var seen: MissedSince?
    /// Starts to read what the page missed, and calls back on another thread. False when the reader is too busy.
    public var readCatchUp: @Sendable (_ done: @escaping @Sendable (CatchUpBatch) -> Void) -> Bool

    public init(
        stream: StreamName,
        members: [StreamName] = [],
        feed: (filter: EntrySelection, reading: Reading)? = nil,
        allowedOrigin: String? = nil,
        expires: Instant? = nil,
        source: SourceElement? = nil,
        refreshes: RefreshPolicy = .never,
        seen: MissedSince? = nil,
        readCatchUp: @escaping @Sendable (_ done: @escaping @Sendable (CatchUpBatch) -> Void) -> Bool
    ) {
        self.stream = stream
        self.members = members
        self.feed = feed
        self.allowedOrigin = allowedOrigin
        self.expires = expires
        self.source = source
        self.refreshes = refreshes
        self.seen = seen
        self.readCatchUp = readCatchUp
    }

    public func hasMissedTheSame(as other: PageRequest) -> Bool {
        stream == other.stream && seen != nil && seen == other.seen
    }
}

/// Whether the client may follow the stream.
public enum CableVerdict: Sendable {
    case open(PageRequest)
    /// No key of ours vouches for the name.
    case rejected
    /// The name has expired; a fresh page brings another.
    case expired
}

/// A page that follows a stream now.
public struct OpenPage: Sendable, Equatable {
    /// `sse`, `websocket` or `cable`.
    public var transport: String
    public var openedAt: Instant
    /// It has everything up to here; nil while that is still being read.
    public var position: Int64?
    /// What waits until its socket takes more.
    public var waitingBytes: Int

    public init(transport: String, openedAt: Instant, position: Int64?, waitingBytes: Int) {
        self.transport = transport
        self.openedAt = openedAt
        self.position = position
        self.waitingBytes = waitingBytes
    }
}
