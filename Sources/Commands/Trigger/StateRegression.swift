/// An event that arrived after a newer one but still changed the state, so pages went back to an older state. Pure.
struct StateRegression: Equatable {
    /// The late event's type.
    var label: String
    var before: String
    var after: String

    /// Finds the first regression among the committed entries, or returns nil. `history` lists the signed events, oldest
    /// first.
    init?(in entries: [FeedEntry], history: [(event: String, label: String)]) {
        var newest = -1
        for entry in entries {
            guard let age = history.firstIndex(where: { $0.event == entry["event"] }) else { continue }
            defer { newest = max(newest, age) }
            guard age < newest, let before = entry["previous_state"], let after = entry["state"], before != after else {
                continue
            }
            label = history[age].label
            self.before = before
            self.after = after
            return
        }
        return nil
    }
}
