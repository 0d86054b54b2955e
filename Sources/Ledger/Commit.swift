internal import Domain
internal import Rules

/// What one command put into the running transaction. None of it holds before COMMIT.
struct Commit<Value> {
    var value: Value
    var entries: [Entry] = []
    /// The change in the number of contracts without a user.
    var unclaimed = 0
    /// The users whose language has changed.
    var readers: [UserID] = []
}

extension Commit {
    init(_ value: Value, changes: Changes) {
        self.value = value
        entries = changes.entries.map(\.entry)
        unclaimed = changes.unclaimed
        readers = changes.languages.map(\.user)
    }

    /// Adds what was committed together with it.
    mutating func add<Other>(_ other: Commit<Other>) {
        entries += other.entries
        unclaimed += other.unclaimed
        readers += other.readers
    }

    func map<Other>(_ transform: (Value) -> Other) -> Commit<Other> {
        Commit<Other>(value: transform(value), entries: entries, unclaimed: unclaimed, readers: readers)
    }
}
