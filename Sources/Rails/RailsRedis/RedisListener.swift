public import Support

extension BroadcastListener {
    /// Receives what a Rails app broadcasts through Redis, which keeps nothing for a listener that is away. Returns nil when
    /// the process has run out of descriptors.
    public convenience init?(
        redis settings: RedisSettings,
        timing: RedisTiming = .usual,
        log: Log,
        metrics: Metrics,
        submit: @escaping SubmitBroadcasts
    ) {
        self.init(
            BroadcastSourceName(
                name: "redis",
                place: "redis",
                address: "\(settings.url)",
                lost: "redis lost",
                back: "redis is back",
                refused: "broadcasts of redis refused by the ledger"
            ),
            prefix: settings.prefix,
            patience: timing.ledgerPatience,
            log: log,
            counts: BroadcastCounts(metrics, .redis),
            submit: submit,
            makeSource: { RedisSource(settings, timing: timing.listening) }
        )
    }
}

/// The intervals and deadlines of the listener.
public struct RedisTiming: Sendable {
    var listening = HeartbeatTiming()
    /// How long the ledger may refuse broadcasts before that is a problem.
    var ledgerPatience = Duration.seconds(5)

    public static let usual = RedisTiming()
}
