public import Domain

/// Answers `GET /events`: one page, newest first.
public struct EventsAnswer: Codable, Sendable, Equatable {
    /// In the format of `/feed`.
    public var events: [FeedItem]
    /// The `before` parameter of the next page: a cursor, or null once `since` or the ledger's beginning is reached.
    @Nullable public var next: String?
    /// The ledger's newest cursor when the page was read.
    public var since: String

    public init(events: [FeedItem], next: Cursor?, since: Cursor) {
        self.events = events
        self.since = since.description
        self.next = next?.description
    }
}
