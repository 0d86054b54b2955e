internal import Observability
internal import RailsBroadcasts
internal import Synchronization

/// What the listener's thread shares with other threads.
final class ListenerPorts: Sendable {
    let settings: RedisSettings
    let timing: RedisTiming
    let log: Log
    let counts: RedisMetrics
    let broadcasts: BroadcastPorts
    /// Only the listener's thread writes it.
    let problem = Mutex<RedisProblem?>(.starting)

    init(
        settings: RedisSettings,
        timing: RedisTiming,
        log: Log,
        counts: RedisMetrics,
        broadcasts: BroadcastPorts
    ) {
        self.settings = settings
        self.timing = timing
        self.log = log
        self.counts = counts
        self.broadcasts = broadcasts
    }
}
