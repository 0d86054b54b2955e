internal import AppleStore
internal import Concurrency
internal import Domain
internal import GoogleStore
internal import Jobs
internal import Observability
internal import StoreInterface

/// The work that runs beside the pipeline: jobs after a commit, asking a store before a period counts as ended, and
/// fetching what a store sent while no server was listening.
struct BackgroundServices {
    /// Nil without a key of the store's API.
    let recovery: Recovery?
    private let voids: VoidedPurchases?
    /// False for a stand-in: it starts with an empty history, so it is asked only on demand.
    private let isRecovering: (apple: Bool, google: Bool)
    private let jobs: JobRunner
    private let renewals: RenewalChecker

    init(_ core: ServerCore, stores: Current<OpenStores>) {
        let opened = stores.value
        let (apple, google) = (opened[AppleStore.self], opened[GoogleStore.self])
        isRecovering = (apple?.isStandIn == false, google?.isStandIn == false)
        let counts = RecoveryCounts(core.metrics)
        let apis = Dictionary(
            uniqueKeysWithValues: opened.apis.keys.map {
                ($0, CurrentStoreAPI(provider: $0, stores: stores) as any StoreAPI)
            }
        )
        jobs = JobRunner(
            reader: core.reader,
            writer: core.writer,
            apis: apis,
            clock: core.clock,
            log: core.log,
            metrics: core.metrics
        )
        renewals = RenewalChecker(
            reader: core.reader,
            writer: core.writer,
            apis: apis,
            ends: core.ends,
            clock: core.clock,
            log: core.log
        )
        recovery = apple.flatMap { core.recovery(of: $0, stores: stores, counts: counts) }
        voids = google.flatMap { core.voidedPurchases(of: $0, stores: stores, counts: counts) }
    }

    /// Call it once the server listens: in development, the stand-ins in this same server answer the calls.
    func start() {
        jobs.start()
        renewals.start()
        if isRecovering.apple { recovery?.start() }
        if isRecovering.google { voids?.start() }
    }

    /// Call it before the ledger is closed. Unfinished jobs are done after the next start.
    func close() {
        recovery?.halt()
        voids?.halt()
        renewals.halt()
        jobs.halt()
        recovery?.close()
        voids?.close()
        renewals.close()
        jobs.close()
    }

    var recoveries: [Provider: any HistoryRecovery] {
        var recoveries: [Provider: any HistoryRecovery] = [:]
        recoveries[.apple] = recovery
        recoveries[.google] = voids
        return recoveries
    }

    /// For `/ready`.
    var problems: [String] { jobs.problems + (recovery?.problems ?? []) + (voids?.problems ?? []) }
}

extension ServerCore {
    /// Nil without a key of Apple's API.
    fileprivate func recovery(
        of apple: OpenAppleStore,
        stores: Current<OpenStores>,
        counts: RecoveryCounts
    ) -> Recovery? {
        guard let api = apple.serverAPI else { return nil }
        return Recovery(
            apple.apps.flatMap { app in
                apple.environments.map { Recovery.History(app: app, environment: $0) }
            },
            api: { stores.value[AppleStore.self]?.serverAPI ?? api },
            verifier: CurrentVerifier(provider: .apple, stores: stores),
            reader: reader,
            writer: writer,
            clock: clock,
            log: log,
            counts: counts
        )
    }

    /// Nil without a package: then there are no voided purchases to list.
    fileprivate func voidedPurchases(
        of google: OpenGoogleStore,
        stores: Current<OpenStores>,
        counts: RecoveryCounts
    ) -> VoidedPurchases? {
        guard !google.packages.isEmpty else { return nil }
        return VoidedPurchases(
            google.packages,
            google: { stores.value[GoogleStore.self]?.reader },
            reader: reader,
            writer: writer,
            clock: clock,
            log: log,
            counts: counts
        )
    }
}
