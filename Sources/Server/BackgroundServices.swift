import API
import Domain
import Ledger
import Stores
import Support

/// The work that runs beside the pipeline: jobs and messages to the app's backend after a commit, asking a store before a period counts as ended, and
/// fetching what a store sent while no server was listening.
struct BackgroundServices {
    /// For the stores with a key that can read their history.
    private let histories: [Recovery]
    private let jobs: JobRunner
    /// Nil if no address of the app's backend is configured.
    let hooks: HookRunner?
    let catalog: CatalogRunner
    /// All but the histories.
    private let regular: [any BackgroundWork]

    init(_ core: ServerCore, stores: SharedValue<OpenStores>) {
        let readable = core.configuration.providers.filter { stores.value.opened[$0]?.history != nil }
        let counts = RecoveryCounts(core.metrics, of: readable)
        let context = WorkContext(
            reader: core.reader,
            writer: core.writer,
            leaderLease: core.ledger.leaderLease,
            clock: core.clock,
            log: core.log,
            hold: core.hold
        )
        let apis: StoreAPIs = { stores.value.apis }
        jobs = JobRunner(context, apis: apis, metrics: core.metrics)
        let renewals = apis().keys.map { provider in
            RenewalChecker(provider: provider, context: context, apis: apis, ends: core.ends)
        }
        let retention = core.configuration.retentionDays.map { RetentionRunner(context: context, days: $0) }
        let hookCounts = HookCounts(core.metrics)
        hooks = HookRunner(core, context, counts: hookCounts)
        hookCounts.show(hooks, in: core.metrics)
        catalog = CatalogRunner(context)
        let others: [(any BackgroundWork)?] = [retention, jobs, hooks, catalog]
        regular = [core.hold] + renewals + others.compactMap { $0 }
        histories = readable.compactMap { provider in
            Recovery(of: provider, context: context, counts: counts) {
                guard let store = stores.value.opened[provider], let history = store.history else { return nil }
                return (history, store.verifier)
            }
        }
    }

    /// Call it once the server listens: in development, the stand-ins in this same server answer the calls.
    func start() {
        for work in regular { work.start() }
        for recovery in histories where !recovery.history.isStandIn { recovery.start() }
    }

    /// Call it before the ledger is closed. Unfinished jobs are done after the next start.
    func close() {
        let all: [any BackgroundWork] = histories + regular
        for work in all { work.halt() }
        for work in all { work.close() }
    }

    var recoveries: [Provider: HistoryRecovery] {
        histories.reduce(into: [:]) { recoveries, recovery in
            recoveries[recovery.provider] = { since, progress in recovery.recover(since: since, progress: progress) }
        }
    }

    /// For `/ready`.
    var problems: [String] { jobs.problems + histories.flatMap(\.problems) }
}

/// Work on threads of its own, which ends before the ledger.
protocol BackgroundWork: Sendable {
    var routine: Routine { get }
    /// The threads to which the routine hands tasks.
    var pools: [WorkerPool] { get }

    func start()
}

extension BackgroundWork {
    var pools: [WorkerPool] { [] }

    /// Starts nothing new.
    func halt() { routine.halt() }

    /// Waits for what is running, also on other threads. Call it once, before the ledger is closed.
    func close() {
        routine.end()
        for pool in pools { pool.close() }
    }
}

/// The APIs of the stores for which there is a key, with the settings of the last reload, which changes keys and never
/// takes a store away.
typealias StoreAPIs = @Sendable () -> [Provider: any StoreAPI]

/// What the work beside the pipeline needs: both threads of the ledger, the lease under which one of several nodes does
/// it, the time, the log, and whether anything may go out.
struct WorkContext: Sendable {
    let reader: LedgerReader
    let writer: LedgerWriter
    var leaderLease = LeaderLease.alone
    let clock: Clock
    let log: Log
    let hold: OutgoingHold
}

/// Asks the ledger and waits for its answer. Returns nil if the ledger accepts no more questions or cannot answer.
func answer<Value: Sendable>(
    _ ask: (@escaping LedgerAnswer<Value>) -> Bool
) -> Value? {
    let promise = Promise<Value?>()
    return ask { promise.fulfil(try? $0.get()) } ? promise.wait() : nil
}

extension LedgerWriter {
    /// Commits an event that a store's API brought, and waits. Returns nil when the ledger did not accept it. `lease` is nil
    /// for a request that an operator made to this node.
    func commit(_ event: Event, at now: Instant, under lease: Lease?) -> CommitResult? {
        answer { submit(.event(event, receivedAt: now, completion: $0), under: lease) }
    }

    /// Waits for the command. Returns false when it was not committed.
    @discardableResult
    func hasCommitted(under lease: Lease?, _ command: (@escaping @Sendable (Bool) -> Void) -> LedgerCommand) -> Bool {
        let promise = Promise<Bool>()
        return submit(command(promise.fulfil), under: lease) && promise.wait()
    }

    private func submit(_ command: LedgerCommand, under lease: Lease?) -> Bool {
        submit(lease.map { .led(command, under: $0) } ?? command)
    }
}

extension StoreAPIError {
    static let ledgerBusy = StoreAPIError.unavailable(reason: "the ledger did not accept it")
}
