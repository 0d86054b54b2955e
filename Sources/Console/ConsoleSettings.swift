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

    public init(
        keys: @escaping @Sendable () -> [AccessKey],
        now: @escaping @Sendable () -> Instant,
        isDevelopment: Bool,
        isSecure: Bool
    ) {
        self.keys = keys
        self.now = now
        self.isDevelopment = isDevelopment
        self.isSecure = isSecure
    }
}
