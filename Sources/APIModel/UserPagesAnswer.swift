public import Domain

/// Answers `GET /users/{user}/pages`.
public struct UserPagesAnswer: Codable, Sendable, Equatable {
    public struct Page: Codable, Sendable, Equatable {
        /// `sse`, `websocket` or `cable`.
        public var transport: String
        /// When it began to follow the stream: ISO 8601, UTC.
        public var openedAt: String
        /// It has everything up to here; null while that is still being read for it.
        @Nullable public var cursor: String?
        /// What waits until its socket takes more: 0 for a page that is not behind.
        public var waitingBytes: Int

        public init(transport: String, openedAt: Instant, cursor: Cursor?, waitingBytes: Int) {
            self.transport = transport
            self.openedAt = openedAt.iso8601
            self.waitingBytes = waitingBytes
            self.cursor = cursor?.description
        }
    }

    /// What a page shows in one of its elements, once it has caught up.
    public struct Shown: Codable, Sendable, Equatable {
        /// The id of the element; null if a publisher addressed several.
        @Nullable public var target: String?
        /// Where it was committed.
        public var cursor: String
        /// The element's HTML, rendered now; null if a page reloads instead, and its own server renders it.
        @Nullable public var html: String?

        public init(target: String?, cursor: Cursor, html: String?) {
            self.cursor = cursor.description
            self.target = target
            self.html = html
        }
    }

    public var user: UserID
    /// The node that answers. It knows nothing of the pages at other nodes.
    public var node: String
    /// Those that are open at this node.
    public var pages: [Page]
    public var shown: [Shown]
    /// The ledger's newest cursor when this was read.
    public var since: String

    public init(user: UserID, node: String, pages: [Page], shown: [Shown], since: Cursor) {
        self.user = user
        self.node = node
        self.pages = pages
        self.shown = shown
        self.since = since.description
    }
}

/// Answers `POST /users/{user}/console`.
public struct ConsoleLinkAnswer: Codable, Sendable, Equatable {
    /// Opens the user's page of the console, once and within 60 seconds.
    public var url: String

    public init(url: String) { self.url = url }
}
