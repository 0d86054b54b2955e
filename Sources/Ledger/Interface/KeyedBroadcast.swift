public import Domain

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
