public import Domain

/// What a transaction has changed, for those who are told of it after COMMIT.
struct TransactionNews {
    var entries: [Entry] = []
    /// The change in the number of contracts without a user.
    var unclaimed = 0
    /// The users whose locale has changed.
    var readers: [UserID] = []
    /// What the backend is told, written at the transaction's end: of many states of a user, the last one counts.
    var hooks: [HookRecord] = []
    /// The rows of the purchases that these are about.
    var purchases: [ContractKey: Int64] = [:]
    /// An erasure has finished.
    var hasErased = false
    /// A message that named an erased user is gone.
    var hasErasedMessage = false

    /// What is left of it when the next transaction begins before anybody took it, since it failed. What that erased may
    /// still be in the file, and is overwritten after the next COMMIT.
    var afterFailure: TransactionNews {
        var left = TransactionNews()
        left.hasErased = hasErased
        left.hasErasedMessage = hasErasedMessage
        return left
    }

    mutating func add(_ changes: Changes) {
        entries += changes.entries.map(\.entry)
        unclaimed += changes.unclaimed
        readers += changes.locales.map { $0.user }
        hooks += changes.hooks
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

    var isDone: Bool { cursor != nil }

    public mutating func add(_ other: ErasureStep) {
        events += other.events
        fragments += other.fragments
        contracts += other.contracts
        orders += other.orders
        cursor = other.cursor
    }
}
