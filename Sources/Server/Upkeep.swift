internal import Domain
internal import Errands
internal import Ledger
internal import Providers
internal import Runtime

/// What runs beside the pipeline: errands that follow a commit, questions before an end is believed, and what the store
/// sent while nobody listened.
struct Upkeep {
    /// Nil without a key of the store's API.
    let recovery: Recovery?
    /// A stand-in has forgotten everything when its server starts: it is asked on demand alone.
    private let isRecovering: Bool
    private let errands: ErrandRunner
    private let reconciler: Reconciler

    init(
        _ stores: StoreParts,
        _ ledger: (writer: LedgerWriter, reader: LedgerReader),
        _ ends: AccessEnds,
        _ clock: Clock,
        _ log: Log,
        _ metrics: Metrics
    ) {
        let (writer, reader) = (ledger.writer, ledger.reader)
        isRecovering = stores.appleParts?.isStandIn == false
        errands = ErrandRunner(
            reader: reader,
            writer: writer,
            apis: stores.apis,
            clock: clock,
            log: log,
            metrics: metrics
        )
        reconciler = Reconciler(
            reader: reader,
            writer: writer,
            apis: stores.apis,
            ends: ends,
            clock: clock,
            log: log
        )
        recovery = stores.appleParts.flatMap { parts in
            stores.verifiers[.apple].map { verifier in
                Recovery(
                    parts.places,
                    api: parts.api,
                    verifier: verifier,
                    reader: reader,
                    writer: writer,
                    clock: clock,
                    log: log,
                    metrics: metrics
                )
            }
        }
    }

    /// Once the server listens: a development server's stores answer from itself.
    func start() {
        errands.start()
        reconciler.start()
        if isRecovering { recovery?.start() }
    }

    /// Before the ledger is closed. What is not done yet is done after the next start.
    func close() {
        recovery?.halt()
        reconciler.halt()
        errands.halt()
        recovery?.close()
        reconciler.close()
        errands.close()
    }

    var recoveries: [Provider: any HistoryRecovery] {
        recovery.map { [.apple: $0] } ?? [:]
    }

    /// For `/ready`.
    var problems: [String] { errands.problems + (recovery?.problems ?? []) }
}
