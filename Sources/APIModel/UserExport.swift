/// The output of `paycast export`: everything known about a user.
public struct UserExport: Codable, Sendable, Equatable {
    public var record: UserAnswer
    /// Newest first, with what stores sent.
    public var events: [FeedItem]

    public init(record: UserAnswer, events: [FeedItem]) {
        self.record = record
        self.events = events
    }
}
