internal import Domain

/// Why an event has changed nothing, for a person who wonders. The server's own words; an older one says none. Pure.
struct FeedReason {
    let entry: FeedEntry

    /// Nil for what was applied.
    var text: String? {
        entry["reason"]
            ?? entry["outcome"].flatMap { Outcome(rawValue: $0) }?.reason(isOfContract: entry["contract"] != nil)
    }
}
