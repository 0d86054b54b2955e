public import Domain
public import Pages

/// What the console is told by the server that it belongs to.
public struct ConsoleSettings: Sendable {
    /// The keys of the API routes, as they are now.
    public var keys: @Sendable () -> [AccessKey]
    public var now: @Sendable () -> Instant
    /// One link opens it, without a key.
    public var isDevelopment = false
    /// Pages reach this server over TLS, without a proxy in between.
    public var isSecure = false
    /// Hands the loops of this node messages that no entry of the ledger holds.
    public var publish: @Sendable ([Message]) -> Void = { _ in }
    /// Whether a page of this node follows a stream.
    public var isFollowed: @Sendable (StreamName) -> Bool = { _ in false }
    /// What the settings are now, without secrets.
    public var facts: @Sendable () -> [(name: String, value: String)] = { [] }

    /// Where the console is if it is not where a request for a link was sent: `https://HOST:PORT`.
    public var ownAddress: String?
    /// Remembers for a day that a link was used, or a session ended, on all nodes. Waits for the ledger. Nil if that gives no
    /// answer, and false for what was remembered before.
    public var spend: @Sendable (_ id: String) -> Bool?
    /// Whether `spend` has remembered it. Waits for the ledger; nil if that gives no answer.
    public var isSpent: @Sendable (_ id: String) -> Bool?

    public init(
        keys: @escaping @Sendable () -> [AccessKey],
        now: @escaping @Sendable () -> Instant,
        spend: @escaping @Sendable (_ id: String) -> Bool?,
        isSpent: @escaping @Sendable (_ id: String) -> Bool?
    ) {
        (self.keys, self.now, self.spend, self.isSpent) = (keys, now, spend, isSpent)
    }
}
