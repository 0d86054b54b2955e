public import Domain

/// The changes that one command made in the running transaction. They do not count before COMMIT.
public struct Commit<Value> {
    public var value: Value
    public var entries: [Entry] = []
    /// The change in the number of contracts without a user.
    public var unclaimed = 0
    /// The users whose language has changed.
    public var readers: [UserID] = []
}

extension Commit {
    public init(_ value: Value, changes: Changes) {
        self.value = value
        entries = changes.entries.map(\.entry)
        unclaimed = changes.unclaimed
        readers = changes.languages.map(\.user)
    }

    /// Adds the changes of another command of the same transaction.
    public mutating func add<Other>(_ other: Commit<Other>) {
        entries += other.entries
        unclaimed += other.unclaimed
        readers += other.readers
    }

    public func map<Other>(_ transform: (Value) -> Other) -> Commit<Other> {
        Commit<Other>(value: transform(value), entries: entries, unclaimed: unclaimed, readers: readers)
    }
}
