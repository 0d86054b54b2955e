public import Domain

/// A page that follows a stream now.
public struct OpenPage: Sendable, Equatable {
    /// `sse`, `websocket` or `cable`.
    public var transport: String
    public var openedAt: Instant
    /// It has everything up to here; nil while that is still being read.
    public var position: Int64?
    /// What waits until its socket takes more.
    public var waitingBytes: Int

    public init(transport: String, openedAt: Instant, position: Int64?, waitingBytes: Int) {
        self.transport = transport
        self.openedAt = openedAt
        self.position = position
        self.waitingBytes = waitingBytes
    }
}
