internal import APIClient
internal import Domain

/// Tells a person why an event changed nothing: in the server's words, or in ours if an older server sends none. Pure.
struct FeedReason {
    let entry: FeedEntry

    /// Nil for an event that was applied.
    var text: String? {
        entry["reason"]
            ?? entry["outcome"].flatMap { Outcome(rawValue: $0) }?.reason(isOfContract: entry["contract"] != nil)
    }
}
