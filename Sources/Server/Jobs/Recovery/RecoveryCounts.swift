internal import Stores
public import Support

/// The metrics of recoveries, for all stores together.
public struct RecoveryCounts: Sendable {
    let recovered: Counter
    let refused: Counter

    public init(_ metrics: Metrics) {
        recovered = metrics.counter(
            "paycast_recovered_total",
            help: "Notifications that a store's history brought first."
        )
        refused = metrics.counter(
            "paycast_recovery_refused_total",
            help: "Entries of a store's history that this server's settings refuse, each time that they are read."
        )
    }

    /// Call it after each run; `what` is the message for the log.
    func ended(_ report: RecoveryReport, message what: StaticString, log: Log) {
        recovered.add(report.recovered)
        guard report.found > 0 else { return }
        log.info(what, fields: ["found": report.found, "recovered": report.recovered, "refused": report.refused])
    }
}
