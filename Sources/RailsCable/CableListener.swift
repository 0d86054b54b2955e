internal import Concurrency
public import Observability
public import RailsBroadcasts
internal import Synchronization

/// Reads what a Rails app broadcasts through Solid Cable, and submits it to the ledger.
///
/// The table keeps its rows for a day, so an outage loses nothing: `heal` is for what was broadcast before the start, and
/// for what the app deleted or replaced before it was read.
public final class CableListener: Sendable {
    private let ports: CablePorts
    private let thread = Mutex<WorkerThread?>(nil)

    /// Returns nil when the process has run out of descriptors.
    public init?(
        _ settings: CableSettings,
        timing: CableTiming = CableTiming(),
        log: Log,
        metrics: Metrics,
        submit: @escaping SubmitBroadcasts
    ) {
        guard let broadcasts = BroadcastPorts(submit: submit) else { return nil }
        ports = CablePorts(
            settings: settings,
            timing: timing,
            log: log,
            counts: CableMetrics(metrics),
            broadcasts: broadcasts
        )
    }

    /// Begins to read, and waits for a database that is not there yet. `heal` runs on the listener's thread, once after
    /// each gap. So does `takesOver`, before each read: when it returns true, somebody else may have submitted what was
    /// not read yet, so reading begins anew at the table's head, with a gap. Call it once only.
    public func start(takesOver: @escaping @Sendable () -> Bool = { false }, heal: @escaping HealBroadcasts) {
        let ports = ports
        thread.withLock {
            $0 = WorkerThread(name: "rails cable") { CableLoop(ports, takesOver: takesOver, heal: heal).run() }
        }
    }

    /// Why broadcasts do not arrive, as one sentence for `/ready`; empty when they do.
    public var problems: [String] {
        ports.problem.withLock { $0 }.map { ["rails cable: \($0)"] } ?? []
    }

    /// Submits what was read to the ledger and ends the thread. Call it before the ledger closes.
    public func close() {
        ports.broadcasts.mailbox.close()
        let running = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        running?.join()
    }
}

/// What the listener's thread shares with other threads.
final class CablePorts: Sendable {
    let settings: CableSettings
    let timing: CableTiming
    let log: Log
    let counts: CableMetrics
    let broadcasts: BroadcastPorts
    /// Only the listener's thread writes it.
    let problem = Mutex<CableProblem?>(.starting)

    init(
        settings: CableSettings,
        timing: CableTiming,
        log: Log,
        counts: CableMetrics,
        broadcasts: BroadcastPorts
    ) {
        self.settings = settings
        self.timing = timing
        self.log = log
        self.counts = counts
        self.broadcasts = broadcasts
    }
}
