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
        readers = changes.languages.map { $0.user }
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

/// A request with the key that its client gave it.
public struct KeyedRequest: Sendable, Equatable {
    public var key: IdempotencyKey
    /// A digest of the whole request, which tells two requests apart.
    public var digest: String

    public init(key: IdempotencyKey, digest: String) {
        self.key = key
        self.digest = digest
    }
}

/// The result of a broadcast with a key. The cursors belong to its fragments, in their order.
public enum KeyedBroadcast: Sendable, Equatable {
    case made([Cursor])
    /// The same request was made before; nothing was committed now.
    case repeated([Cursor])
    /// Another request was made under this key; nothing was committed.
    case otherRequest
}

/// The result of one transaction of an erasure. An erasure takes as many as it needs to hold nobody else up.
public struct ErasureStep: Sendable, Equatable {
    public var events = 0
    public var fragments = 0
    public var contracts = 0
    public var orders = 0
    /// Nil while there is more to do. Until then, nothing keeps the user from coming back.
    public var cursor: Cursor?

    public init() {}

    public var isDone: Bool { cursor != nil }

    public mutating func add(_ other: ErasureStep) {
        events += other.events
        fragments += other.fragments
        contracts += other.contracts
        orders += other.orders
        cursor = other.cursor
    }
}
