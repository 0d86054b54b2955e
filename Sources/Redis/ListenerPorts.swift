internal import Concurrency
internal import Observability
internal import Synchronization

/// What the listener's thread shares with other threads.
final class ListenerPorts: Sendable {
    let settings: RedisSettings
    let timing: RedisTiming
    let log: Log
    let counts: RedisMetrics
    let submit: RedisListener.Submit
    /// The result of the submitted batch. Closing the mailbox ends the thread.
    let mailbox: Mailbox<RedisListener.PurchaseCommit>
    let bell: EventDescriptor
    /// Only the listener's thread writes it.
    let problem = Mutex<RedisProblem?>(.starting)

    /// Returns nil when the process has run out of descriptors.
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
