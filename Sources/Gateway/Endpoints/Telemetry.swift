public import Runtime

/// How long a webhook takes from its first byte to the commit, and how many are refused.
public final class Telemetry: Sendable {
    private let verified: Histogram
    private let committed: Histogram
    let refused: Counter

    public init(_ metrics: Metrics) {
        verified = metrics.histogram("paycast_webhook_verified_seconds", "From reception to a proven signature.")
        committed = metrics.histogram("paycast_webhook_committed_seconds", "From reception to the commit.")
        refused = metrics.counter("paycast_webhooks_refused_total", "Webhooks answered 400 or 503.")
    }

    func verified(receivedAt start: UInt64) {
        verified.record(nanoseconds: monotonicNanoseconds() - start)
    }

    func committed(receivedAt start: UInt64) {
        committed.record(nanoseconds: monotonicNanoseconds() - start)
    }
}
