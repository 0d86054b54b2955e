internal import Concurrency
public import Observability
public import RailsBroadcasts
internal import Synchronization

/// Receives what a Rails app broadcasts through Redis, and submits it to the ledger.
///
/// Redis keeps nothing for a listener that is away. So heartbeats pass through it all the time, `problems` reports an
/// outage, and after each outage, and after the start, `heal` makes up for what may have been lost.
public final class RedisListener: Sendable {
    private let ports: ListenerPorts
    private let thread = Mutex<WorkerThread?>(nil)

    /// Returns nil when the process has run out of descriptors.
    public init?(
        _ settings: RedisSettings,
        timing: RedisTiming = RedisTiming(),
        log: Log,
        metrics: Metrics,
        submit: @escaping SubmitBroadcasts
    ) {
        guard let broadcasts = BroadcastPorts(submit: submit) else { return nil }
        ports = ListenerPorts(
            settings: settings,
            timing: timing,
            log: log,
            counts: RedisMetrics(metrics),
            broadcasts: broadcasts
        )
    }

    /// Begins to listen, and waits for a Redis that does not run yet. `heal` runs on the listener's thread, once after
    /// each gap, as soon as broadcasts arrive again. Call it once only.
    public func start(heal: @escaping HealBroadcasts) {
        let ports = ports
        thread.withLock { $0 = WorkerThread(name: "redis") { ListenerLoop(ports, heal: heal).run() } }
    }

    /// Why broadcasts do not arrive, as one sentence for `/ready`; empty when they do.
    public var problems: [String] {
        ports.problem.withLock { $0 }.map { ["redis: \($0)"] } ?? []
    }

    /// Submits what was received to the ledger and ends the thread. Call it before the ledger closes.
    public func close() {
        ports.broadcasts.mailbox.close()
        let running = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        running?.join()
    }
}
