public import Domain
public import HTTP

extension EntrySelection {
    public init(_ query: Query) {
        self.init(
            user: query["user"].map { UserID($0) },
            provider: query["provider"],
            environment: query["environment"],
            type: query["type"],
            outcome: query["outcome"],
            product: query["product"]
        )
    }

    /// The hub's stream for this selection. Developers with the same one share it.
    public var stream: StreamName {
        let parts = [user?.text, provider, environment, type, outcome, product].map { $0.map { "=\($0)" } ?? "" }
        return .feed(parts.joined(separator: "\u{1F}"))
    }
}

/// The feeds that one loop's connections follow, each with its filter.
public struct FeedFilters {
    private struct Feed {
        let filter: EntrySelection
        var followers: Int
    }

    private var feeds: [StreamName: Feed] = [:]

    public init() {}

    /// One follower more.
    public mutating func add(_ filter: EntrySelection, of stream: StreamName) {
        feeds[stream, default: Feed(filter: filter, followers: 0)].followers += 1
    }

    /// One follower less.
    public mutating func remove(_ stream: StreamName) {
        guard let followers = feeds[stream]?.followers else { return }
        if followers > 1 { feeds[stream]?.followers = followers - 1 } else { feeds[stream] = nil }
    }

    /// The streams of the feeds that show this entry.
    public func streams(admitting notice: Notice) -> [StreamName] {
        feeds.compactMap { $0.value.filter.admits(notice) ? $0.key : nil }
    }
}
