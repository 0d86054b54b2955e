public import Observability
internal import StoreInterface

/// What recoveries count, of all stores.
public struct RecoveryCounts: Sendable {
    let recovered: Counter
    let refused: Counter

    public init(_ metrics: Metrics) {
        recovered = metrics.counter("paycast_recovered_total", "Notifications that a store's history brought first.")
        refused = metrics.counter(
            "paycast_recovery_refused_total",
            "Entries of a store's history that this server's settings refuse, each time that they are read."
        )
    }

    /// A run has ended: `what` was read.
    func ended(_ report: RecoveryReport, _ what: StaticString, _ log: Log) {
        recovered.add(report.recovered)
        guard report.found > 0 else { return }
        log.info(what, ["found": report.found, "recovered": report.recovered, "refused": report.refused])
    }
}
