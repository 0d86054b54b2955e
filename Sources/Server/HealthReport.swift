import API
import Ledger
import Pages
import Rails
import Support

/// The answer of `/ready`, gathered from the parts that know it.
struct HealthReport: Sendable {
    let core: ServerCore
    let watch: LedgerWatch
    /// To what a Rails app broadcasts.
    let listeners: [BroadcastListener]
    let background: BackgroundServices
    let certificate: CertificateHealth

    /// Probes the ledger first, on the thread of `watch`, which then calls `done`. Returns false if too many requests
    /// are waiting.
    @Sendable func ask(_ done: @escaping @Sendable (Readiness) -> Void) -> Bool {
        watch.ask { done(readiness) }
    }

    private var readiness: Readiness {
        let (ledger, templates) = (core.writer.health, core.templates)
        let (stores, clock) = (core.storeContext.health, core.storeContext.storeClock)
        let settings = core.configuration.gaps.map(\.description)
        let broadcasts = listeners.flatMap(\.problems)
        let parts = broadcasts + background.problems + stores.problems + clock.problems
        let shared = core.ledger.follower?.report
        let warnings: [[String]] = [
            core.refusedReloads.value, certificate.warnings, templates.broken, templates.warnings.map(\.description),
            listeners.flatMap(\.warnings), stores.warnings, clock.warnings, core.deliveries.warnings,
            background.hooks?.warnings ?? [],
            background.catalog.warnings, core.hold.warnings,
        ]
        let nodes = shared?.settingSentences ?? (problems: [], warnings: [])
        let ledgerWarnings = nodes.warnings + ledger.warnings + (shared?.warnings ?? []).map { "ledger: \($0)" }
        return Readiness(
            problems: ledger.problems + settings + certificate.problems + parts + nodes.problems,
            warnings: warnings.flatMap { $0 } + ledgerWarnings,
            clock: clock.word,
            ledger: shared
        )
    }
}
