public import Domain

/// Answers `GET /users/{user}/events`: one page, newest first.
public struct UserEventsAnswer: Codable, Sendable, Equatable {
    public var user: UserID
    /// Each entry in the format of `/feed`, with the store's dates.
    public var events: [FeedItem]
    /// The `before` parameter of the next page: a cursor, or null on the last page.
    @Nullable public var next: String?
    /// The ledger's newest cursor when the page was read.
    public var since: String

    public init(user: UserID, events: [FeedItem], next: Cursor?, since: Cursor) {
        self.user = user
        self.events = events
        self.since = since.description
        self.next = next?.description
    }
}
