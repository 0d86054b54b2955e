/// The intervals and deadlines of the listener.
public struct RedisTiming: Sendable {
    /// The interval between two heartbeats.
    public var heartbeat: Duration
    /// The deadline for subscribing, and for each heartbeat to come back.
    public var patience: Duration
    /// The pause before the first reconnect, and the pause that it grows to after several failures.
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
