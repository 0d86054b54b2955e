/// What one client may ask for.
public struct CableLimits: Sendable, Equatable {
    /// Streams on one socket.
    public var subscriptions: Int
    /// Text frames, of any kind. Two elements that repeat each other's `subscribe` send 240.
    public var commandsPerMinute: Int
    /// Bytes of one text frame.
    public var commandBytes: Int

    public init(subscriptions: Int = 100, commandsPerMinute: Int = 600, commandBytes: Int = 16 << 10) {
        self.subscriptions = subscriptions
        self.commandsPerMinute = commandsPerMinute
        self.commandBytes = commandBytes
    }
}
