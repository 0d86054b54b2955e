import Domain
public import Stores
public import Support

/// The threads that may wait for another server's answer. Each store has its own threads, so that a slow store delays
/// only itself. Operators have their own, because a recovery may take hours.
public final class BlockingPools: Sendable {
    /// The other server that a piece of work waits for.
    enum Purpose: Hashable {
        case store(Provider)
        /// A store's server, on behalf of apps: apps that post nonsense must not hold up webhooks.
        case app(Provider)
        /// A store's server, on behalf of a person who searches: its own, so that neither a recovery nor a webhook waits for it.
        case lookups
        /// A store's server, for what is imported: apps must not wait behind a list.
        case imports
        /// `recover` and `replay`.
        case operators
        /// Nobody: reads what strangers post, before it is known who they are. 256 KiB of JSON can take 30 ms, in which a loop
        /// would serve no one, and a worker no webhook.
        case strangers
    }

    private let lanes: [Purpose: (pool: WorkerPool, refused: Counter)]

    public init(stores: [any Store.Type], metrics: Metrics) {
        var lanes: [Purpose: (pool: WorkerPool, refused: Counter)] = [:]
        func add(_ purpose: Purpose, _ name: String, threads: Int, capacity: Int) {
            let pool = WorkerPool(name: name, threads: threads, capacity: capacity)
            metrics.gauge(.callsWaiting, labels: ["queue": name]) { pool.waiting }
            lanes[purpose] = (pool, metrics.counter(.callsRefused, labels: ["queue": name]))
        }
        for provider in stores.map({ $0.provider }) {
            // A call takes a tenth of a second, so a full queue is three seconds of work.
            add(.store(provider), provider.rawValue, threads: 8, capacity: 250)
        }
        for provider in stores.filter({ $0.takesPosts }).map({ $0.provider }) {
            add(.app(provider), provider.rawValue + "-app", threads: 4, capacity: 100)
        }
        add(.lookups, "lookups", threads: 2, capacity: 8)
        // As many as `paycast import` asks for at once.
        add(.imports, "imports", threads: 8, capacity: 8)
        add(.operators, "operators", threads: 4, capacity: 16)
        add(.strangers, "strangers", threads: 2, capacity: 100)
        self.lanes = lanes
    }

    /// Runs `work` on a thread for `purpose`. Returns false if too much work is waiting. `refuse` runs in place of work
    /// that is still waiting when the server shuts down: a store that does not answer must not delay the shutdown.
    func submit(_ purpose: Purpose, work: @escaping WorkerPool.Task, orElse refuse: @escaping WorkerPool.Task) -> Bool {
        guard let lane = lanes[purpose] else { return false }
        let isTaken = lane.pool.submit { [pool = lane.pool] in pool.isClosing ? refuse() : work() }
        if !isTaken { lane.refused.add() }
        return isTaken
    }

    /// Finishes the calls in progress.
    public func close() {
        for lane in lanes.values { lane.pool.halt() }
        for lane in lanes.values { lane.pool.close() }
    }
}
