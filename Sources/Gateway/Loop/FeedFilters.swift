internal import Domain

/// The feeds that this loop's connections follow.
struct FeedFilters {
    private struct Feed {
        let filter: FeedFilter
        var followers: Int
    }

    private var feeds: [StreamName: Feed] = [:]

    mutating func add(_ filter: FeedFilter, of stream: StreamName) {
        feeds[stream, default: Feed(filter: filter, followers: 0)].followers += 1
    }

    /// One follower less.
    mutating func remove(_ stream: StreamName) {
        guard let followers = feeds[stream]?.followers else { return }
        if followers > 1 { feeds[stream]?.followers = followers - 1 } else { feeds[stream] = nil }
    }

    func streams(admitting notice: Notice) -> [StreamName] {
        feeds.compactMap { $0.value.filter.admits(notice) ? $0.key : nil }
    }
}
