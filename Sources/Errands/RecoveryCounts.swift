public import Runtime

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
}
