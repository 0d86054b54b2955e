public import Domain

/// What a client asks for under its key.
public struct KeyedRequest: Sendable, Equatable {
    public var key: IdempotencyKey
    /// Tells two requests apart: a digest of everything that is asked for.
    public var digest: String

    public init(key: IdempotencyKey, digest: String) {
        self.key = key
        self.digest = digest
    }
}

/// What became of a broadcast that has a key. The cursors are those of its fragments, in their order.
public enum KeyedBroadcast: Sendable, Equatable {
    case made([Cursor])
    /// The same request was made before; nothing was committed now.
    case repeated([Cursor])
    /// Another request was made under this key; nothing was committed.
    case otherRequest
}
