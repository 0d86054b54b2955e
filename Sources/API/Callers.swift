internal import Concurrency
public import Domain
public import Observability

/// The threads that may wait for somebody else's answer. Each store has its own, so that a slow one holds up nobody but
/// itself, and operators have theirs, since a recovery may take hours.
public final class Callers: Sendable {
    /// Whom a job waits for.
    enum Purpose: Hashable {
        case store(Provider)
        /// The same for what apps post: whoever posts nonsense must not hold up webhooks.
        case app(Provider)
        /// `recover` and `replay`.
        case operators
    }

    private struct Lane: Sendable {
        let pool: WorkerPool
        let refused: Counter

        init(_ name: String, _ pool: WorkerPool, _ metrics: Metrics) {
            metrics.gauge(
                "paycast_calls_waiting",
                "What waits for a thread that may ask a store, or for an operator's.",
                labels: ["queue": name]
            ) { pool.waiting }
            self.pool = pool
            refused = metrics.counter(
                "paycast_calls_refused_total",
                "What was answered 503 because too much waited.",
                labels: ["queue": name]
            )
        }
    }

    private let lanes: [Purpose: Lane]

    public init(stores: [Provider], _ metrics: Metrics) {
        var lanes: [Purpose: Lane] = [:]
        for provider in stores {
            let name = provider.rawValue
            // A call takes a tenth of a second: a full queue is three seconds of them.
            lanes[.store(provider)] = Lane(name, WorkerPool(name: name, threads: 8, capacity: 250), metrics)
        }
        for provider in [Provider.apple, .google] {
            let name = provider.rawValue + "-app"
            lanes[.app(provider)] = Lane(name, WorkerPool(name: name, threads: 4, capacity: 100), metrics)
        }
        let operators = WorkerPool(name: "operators", threads: 4, capacity: 16)
        lanes[.operators] = Lane("operators", operators, metrics)
        self.lanes = lanes
    }

    /// Runs `job` on a thread of that purpose. False when too many wait already. `refuse` runs in place of a job that
    /// still waits when the server goes down: a store that hangs must not hold up its end.
    func submit(
        _ purpose: Purpose,
        _ job: @escaping WorkerPool.Job,
        orElse refuse: @escaping WorkerPool.Job
    ) -> Bool {
        guard let lane = lanes[purpose] else { return false }
        let isTaken = lane.pool.submit { [pool = lane.pool] in pool.isClosing ? refuse() : job() }
        if !isTaken { lane.refused.add() }
        return isTaken
    }

    /// Finishes the calls that are under way.
    public func close() {
        for lane in lanes.values { lane.pool.halt() }
        for lane in lanes.values { lane.pool.close() }
    }
}
