internal import APIModel
internal import Ledger
internal import Redis
internal import TurboStreams

/// The answer of `/ready`, gathered from the parts that know it.
struct HealthReport: Sendable {
    let gaps: [Configuration.Gap]
    let watch: LedgerWatch
    let ledger: LedgerHealth
    let templates: TemplateLoader
    let redis: RedisListener?
    let background: BackgroundServices
    let certificate: CertificateHealth
    let stores: StoreHealth

    /// Probes the ledger first, on the thread of `watch`, which then calls `done`. Returns false when too many requests
    /// are waiting.
    @Sendable func ask(_ done: @escaping @Sendable (Readiness) -> Void) -> Bool {
        watch.ask { done(readiness) }
    }

    private var readiness: Readiness {
        let settings = gaps.map(\.description)
        let parts = templates.problems + (redis?.problems ?? []) + background.problems + stores.problems
        return Readiness(
            problems: settings + ledger.problems + certificate.problems + parts,
            warnings: certificate.warnings + templates.warnings.map(\.description)
        )
    }
}
