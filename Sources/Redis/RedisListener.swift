internal import Concurrency
public import Domain
public import Observability
internal import Synchronization

/// Receives what a Rails app broadcasts through Redis, and hands it to the ledger.
///
/// Redis keeps nothing for those who are away. So heartbeats go through it all the time, an outage is told in
/// `problems`, and after it, as after the start, `heal` makes up for what may have been lost.
public final class RedisListener: Sendable {
    /// What became of a batch.
    public enum Commitment: Sendable {
        case committed
        /// Nothing was written: the same batch comes again.
        case busy
        /// It will never be written.
        case refused
    }

    /// Hands fragments to the ledger, to be committed together; false when it has no room. The completion runs once, on
    /// any thread.
    public typealias Submit = @Sendable ([Fragment], @escaping @Sendable (Commitment) -> Void) -> Bool

    /// When broadcasts went past us.
    public enum Gap: Sendable {
        /// Before the first heartbeat came back; nobody listened.
        case beforeStart
        case outage
    }

    /// Makes up for a gap; it must not block.
    public typealias Heal = @Sendable (Gap) -> Void

    private let ports: ListenerPorts
    private let thread = Mutex<WorkerThread?>(nil)

    /// Nil when the process has no descriptor left.
    public init?(
        _ settings: RedisSettings,
        timing: RedisTiming = RedisTiming(),
        log: Log,
        metrics: Metrics,
        submit: @escaping Submit
    ) {
        let counts = RedisMetrics(metrics)
        guard
            let ports = ListenerPorts(
                settings: settings,
                timing: timing,
                log: log,
                counts: counts,
                submit: submit
            )
        else { return nil }
        self.ports = ports
    }

    /// Begins to listen; a Redis that is not there is waited for. `heal` runs on the listener's thread, once after each
    /// gap, when broadcasts arrive again. Once only.
    public func start(heal: @escaping Heal) {
        let ports = ports
        thread.withLock { $0 = WorkerThread(name: "redis") { ListenerLoop(ports, heal: heal).run() } }
    }

    /// Why broadcasts do not arrive, when they do not: one sentence for `/ready`.
    public var problems: [String] {
        ports.problem.withLock { $0 }.map { ["redis: \($0)"] } ?? []
    }

    /// Hands what was received to the ledger and ends the thread. Before the ledger closes.
    public func close() {
        ports.mailbox.close()
        let running = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        running?.join()
    }
}
