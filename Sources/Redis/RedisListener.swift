internal import Concurrency
public import Domain
public import Observability
internal import Synchronization

/// Receives what a Rails app broadcasts through Redis, and submits it to the ledger.
///
/// Redis keeps nothing for a listener that is away. So heartbeats pass through it all the time, `problems` reports an
/// outage, and after each outage, and after the start, `heal` makes up for what may have been lost.
public final class RedisListener: Sendable {
    /// The result of a batch.
    public enum PurchaseCommit: Sendable {
        case committed
        /// Nothing was written: the listener retries the same batch.
        case busy
        /// It will never be written.
        case refused
    }

    /// Submits fragments to the ledger, to be committed together; returns false when it has no room. The completion
    /// runs once, on any thread.
    public typealias Submit = @Sendable ([Fragment], @escaping @Sendable (PurchaseCommit) -> Void) -> Bool

    /// When broadcasts may have been missed.
    public enum Gap: Sendable {
        /// Before the first heartbeat came back: nobody listened yet.
        case beforeStart
        case outage
    }

    /// Makes up for a gap; it must not block.
    public typealias Heal = @Sendable (Gap) -> Void

    private let ports: ListenerPorts
    private let thread = Mutex<WorkerThread?>(nil)

    /// Returns nil when the process has run out of descriptors.
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

    /// Begins to listen, and waits for a Redis that does not run yet. `heal` runs on the listener's thread, once after
    /// each gap, as soon as broadcasts arrive again. Call it once only.
    public func start(heal: @escaping Heal) {
        let ports = ports
        thread.withLock { $0 = WorkerThread(name: "redis") { ListenerLoop(ports, heal: heal).run() } }
    }

    /// Why broadcasts do not arrive, as one sentence for `/ready`; empty when they do.
    public var problems: [String] {
        ports.problem.withLock { $0 }.map { ["redis: \($0)"] } ?? []
    }

    /// Submits what was received to the ledger and ends the thread. Call it before the ledger closes.
    public func close() {
        ports.mailbox.close()
        let running = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        running?.join()
    }
}
