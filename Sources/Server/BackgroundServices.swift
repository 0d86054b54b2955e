internal import AppleStore
internal import Concurrency
internal import Domain
internal import GoogleStore
internal import Jobs
internal import Observability
internal import StoreInterface

/// What runs beside the pipeline: jobs that follow a commit, questions before an end is believed, and what the store
/// sent while nobody listened.
struct BackgroundServices {
    /// Nil without a key of the store's API.
    let recovery: Recovery?
    private let voids: VoidedPurchases?
    /// A stand-in has forgotten everything when its server starts: it is asked on demand alone.
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

    /// Once the server listens: a development server's stores answer from itself.
    func start() {
        jobs.start()
        renewals.start()
        if isRecovering.apple { recovery?.start() }
        if isRecovering.google { voids?.start() }
    }

    /// Before the ledger is closed. What is not done yet is done after the next start.
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

    /// Nil without a package whose voided purchases could be listed.
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
