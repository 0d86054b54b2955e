public import Domain
public import Pages

/// What the console is told by the server that it belongs to.
public struct ConsoleSettings: Sendable {
    /// The keys of the API routes, as they are now.
    public var keys: @Sendable () -> [AccessKey]
    public var now: @Sendable () -> Instant
    /// One link opens it, without a key.
    public var isDevelopment: Bool
    /// Pages reach this server over TLS, without a proxy in between.
    public var isSecure: Bool
    /// Hands the loops of this node messages that no entry of the ledger holds.
    public var publish: @Sendable ([Message]) -> Void
    /// Whether a page of this node follows a stream.
    public var isFollowed: @Sendable (StreamName) -> Bool
    /// What the settings are, without secrets.
    public var facts: [(name: String, value: String)]

    /// Where the console is if it is not at the server's own address: `https://HOST:PORT`.
    public var ownAddress: String?
    /// Remembers that a link was used, on all nodes. Waits for the ledger. Nil if that gives no answer, and false for a link
    /// that was used before.
    public var spend: @Sendable (_ id: String) -> Bool?

    public init(
        keys: @escaping @Sendable () -> [AccessKey],
        now: @escaping @Sendable () -> Instant,
        isDevelopment: Bool,
        isSecure: Bool,
        ownAddress: String? = nil,
        spend: @escaping @Sendable (_ id: String) -> Bool?,
        publish: @escaping @Sendable ([Message]) -> Void = { _ in },
        isFollowed: @escaping @Sendable (StreamName) -> Bool = { _ in false },
        facts: [(name: String, value: String)] = []
    ) {
        self.keys = keys
        self.now = now
        self.isDevelopment = isDevelopment
        self.isSecure = isSecure
        self.ownAddress = ownAddress
        self.spend = spend
        self.publish = publish
        self.isFollowed = isFollowed
        self.facts = facts
    }
}
