import API
import Domain
import Stores
import Support

/// The work that runs beside the pipeline: jobs and messages to the app's backend after a commit, asking a store before a period counts as ended, and
/// fetching what a store sent while no server was listening.
struct BackgroundServices {
    /// For the stores with a key that can read their history.
    private let histories: [Recovery]
    private let jobs: JobRunner
    private let renewals: RenewalChecker
    private let retention: RetentionRunner?
    /// Nil if no address of the app's backend is configured.
    let hooks: HookRunner?

    init(_ core: ServerCore, stores: SharedValue<OpenStores>) {
        let opened = stores.value
        let readable = core.configuration.providers.filter { opened.opened[$0]?.history != nil }
        let counts = RecoveryCounts(core.metrics, of: readable)
        let apis = Dictionary(
            uniqueKeysWithValues: opened.apis.keys.map {
                ($0, ReloadedStoreAPI(provider: $0, stores: stores) as any StoreAPI)
            }
        )
        let context = WorkContext(
            reader: core.reader,
            writer: core.writer,
            leaderLease: core.ledger.leaderLease,
            clock: core.clock,
            log: core.log
        )
        jobs = JobRunner(context, apis: apis, metrics: core.metrics)
        renewals = RenewalChecker(context, apis: apis, ends: core.ends)
        retention = core.configuration.retentionDays.map { RetentionRunner(context, days: $0) }
        let hookCounts = HookCounts(core.metrics)
        hooks = HookRunner(core, counts: hookCounts)
        hookCounts.show(hooks, in: core.metrics)
        histories = core.configuration.providers.compactMap { provider in
            guard let history = opened.opened[provider]?.history else { return nil }
            return Recovery(
                of: provider,
                history: history,
                current: { stores.value.opened[provider]?.history },
                verifier: ReloadedVerifier(provider: provider, stores: stores),
                context: context,
                counts: counts
            )
        }
    }

    /// Call it once the server listens: in development, the stand-ins in this same server answer the calls.
    func start() {
        jobs.start()
        renewals.start()
        retention?.start()
        hooks?.start()
        for recovery in histories where !recovery.history.isStandIn { recovery.start() }
    }

    /// Call it before the ledger is closed. Unfinished jobs are done after the next start.
    func close() {
        for recovery in histories { recovery.halt() }
        renewals.halt()
        retention?.halt()
        jobs.halt()
        hooks?.halt()
        for recovery in histories { recovery.close() }
        renewals.close()
        retention?.close()
        jobs.close()
        hooks?.close()
    }

    var recoveries: [Provider: HistoryRecovery] {
        histories.reduce(into: [:]) { recoveries, recovery in
            recoveries[recovery.provider] = { since, progress in recovery.recover(since: since, progress: progress) }
        }
    }

    /// For `/ready`.
    var problems: [String] { jobs.problems + histories.flatMap(\.problems) }
}
