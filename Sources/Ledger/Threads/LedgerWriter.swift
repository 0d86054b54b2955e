public import Domain
public import Support

/// The one thread that writes the ledger.
///
/// It takes every waiting command into one transaction, and one `fdatasync` makes all of it durable. While that runs,
/// the next batch gathers. A command that cannot be committed fails alone. After COMMIT, and only then, `onCommit`
/// receives the entries in position order, `onLocale` receives the users whose fragments are now written in another
/// language or time zone, and each command's completion runs, all on this thread.
public final class LedgerWriter: Sendable {
    /// How many commands may wait; beyond that, callers answer 503.
    private static let capacity = 10_000

    /// Names this ledger in its cursors.
    public let epoch: String
    /// The known troubles of the ledger.
    public let health: LedgerHealth
    private let mailbox: Mailbox<LedgerCommand>
    private let waker = Waker()
    private let thread = OwnedThread()

    /// Opens or creates the ledger, and brings its schema up to date.
    public init(
        engine: any LedgerEngine,
        clock: Clock,
        policy: AccessPolicy,
        streams: StreamPattern,
        providers: [Provider],
        log: Log,
        metrics: Metrics,
        states: RecentStates? = nil,
        onCommit: @escaping @Sendable ([Entry]) -> Void,
        onLocale: @escaping @Sendable (UserID) -> Void = { _ in }
    ) throws(LedgerError) {
        mailbox = Mailbox(capacity: LedgerWriter.capacity) { [waker] in waker.wake() }
        let counts = LedgerMetrics(metrics, providers: providers)
        health = LedgerHealth(log, metrics: metrics, clock: clock)
        epoch = try thread.start("ledger") { [mailbox, waker, health] opened throws(LedgerError) in
            let repository = try engine.openRepository(policy: policy, streams: streams)
            opened(repository.epoch)
            var loop = WriterLoop(
                repository: repository,
                clock: clock,
                log: log,
                counts: counts,
                health: health,
                states: states,
                onCommit: onCommit,
                onLocale: onLocale
            )
            let checkpointer = (engine as? SQLiteEngine).map { Checkpointer(path: $0.path, health: health) }
            loop.run(mailbox, waker: waker) { checkpointer?.wake() }
            checkpointer?.close()
            loop.finish()
        }
    }

    /// May be called from any thread, and never blocks. Returns false when the ledger is full or closing: answer 503,
    /// since the completion will not run.
    public func submit(_ command: LedgerCommand) -> Bool { mailbox.send(command.packed()) }

    /// Call it when the clock was set: the writer then looks again at what ends next.
    public func wake() { waker.wake() }

    /// Commits what waits, writes the checkpoint, and ends the thread. Must not be called from a completion.
    public func close() {
        mailbox.close()
        thread.join()
    }
}
