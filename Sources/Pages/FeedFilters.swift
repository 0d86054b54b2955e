public import Domain

/// The feeds that one loop's connections follow, each with its filter.
public struct FeedFilters {
    private struct Feed {
        let filter: FeedFilter
        var followers: Int
    }

    private var feeds: [StreamName: Feed] = [:]

    public init() {}

    /// One follower more.
    public mutating func add(_ filter: FeedFilter, of stream: StreamName) {
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
