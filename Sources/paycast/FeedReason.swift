/// Why an event has changed nothing, for a person who wonders. The server's own words, when it says any. Pure.
struct FeedReason {
    let entry: FeedEntry

    /// Nil for what was applied.
    var text: String? {
        if let reason = entry["reason"] { return reason }
        return switch entry["outcome"] {
        case "stale": "the store has said something newer of this contract before"
        case "unclaimed": "no order and no user is known for it yet"
        case "quarantined": "it contradicts the order that its token names"
        case "ignored" where entry["contract"] == nil: "it says nothing of a contract"
        case "ignored": "it says what was known"
        default: nil
        }
    }
}
