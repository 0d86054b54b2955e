/// The intervals and deadlines of the listener.
public struct RedisTiming: Sendable {
    /// The interval between two heartbeats.
    public var heartbeat: Duration
    /// How long a subscription may take, and how long nothing may arrive while a heartbeat is on its way.
    public var patience: Duration
    /// How long the ledger may refuse broadcasts before that is a problem.
    public var ledgerPatience: Duration
    /// The pause before the first reconnect, and the pause that it grows to after several failures.
    public var pause: ClosedRange<Duration>

    public init(
        heartbeat: Duration = .seconds(2),
        patience: Duration = .seconds(5),
        ledgerPatience: Duration = .seconds(5),
        pause: ClosedRange<Duration> = .milliseconds(100) ... .seconds(5)
    ) {
        self.heartbeat = heartbeat
        self.patience = patience
        self.ledgerPatience = ledgerPatience
        self.pause = pause
    }
}
