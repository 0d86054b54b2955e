internal import Concurrency
internal import Observability
internal import Synchronization

/// What the listener's thread shares with others.
final class ListenerPorts: Sendable {
    let settings: RedisSettings
    let timing: RedisTiming
    let log: Log
    let counts: RedisMetrics
    let submit: RedisListener.Submit
    /// What became of the batch that is on its way; closed to end the thread.
    let mailbox: Mailbox<RedisListener.Commitment>
    let bell: EventDescriptor
    /// Written by the listener's thread.
    let problem = Mutex<RedisProblem?>(.starting)

    /// Nil when the process has no descriptor left.
    init?(
        settings: RedisSettings,
        timing: RedisTiming,
        log: Log,
        counts: RedisMetrics,
        submit: @escaping RedisListener.Submit
    ) {
        guard let bell = EventDescriptor() else { return nil }
        self.settings = settings
        self.timing = timing
        self.log = log
        self.counts = counts
        self.submit = submit
        self.bell = bell
        mailbox = Mailbox(capacity: 1) { bell.wake() }
    }
}
