/// How long is waited for what.
public struct RedisTiming: Sendable {
    /// Between two heartbeats.
    public var heartbeat: Duration
    /// In which a connection is subscribed and a heartbeat comes back.
    public var patience: Duration
    /// Before the first new attempt, and before all after some failures.
    public var pause: ClosedRange<Duration>

    public init(
        heartbeat: Duration = .seconds(2),
        patience: Duration = .seconds(5),
        pause: ClosedRange<Duration> = .milliseconds(100) ... .seconds(5)
    ) {
        self.heartbeat = heartbeat
        self.patience = patience
        self.pause = pause
    }
}
