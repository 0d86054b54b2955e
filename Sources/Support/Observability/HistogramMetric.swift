/// Durations in buckets, as `/metrics` shows them. These are all that there are.
public struct HistogramMetric: Metric {
    public let name: String
    public let help: String
    public let labels: [String]
    /// Upper bounds in microseconds, ascending.
    let bounds: [Int]

    init(_ name: String, _ help: String, labels: [String] = [], bounds: [Int] = Histogram.quick) {
        self.name = name
        self.help = help
        self.labels = labels
        self.bounds = bounds
    }

    /// The series with the label `le`, for `histogram_quantile`.
    public var bucket: String { "\(name)_bucket" }

    public static let webhookDelay = Self(
        "paycast_webhook_delay_seconds",
        "From a store's signature to the reception of its webhook.",
        labels: ["provider"],
        bounds: Histogram.slow
    )
    public static let webhookVerified = Self(
        "paycast_webhook_verified_seconds",
        "From reception to a proven signature."
    )
    public static let webhookCommitted = Self("paycast_webhook_committed_seconds", "From reception to the commit.")
    public static let webhookWritten = Self(
        "paycast_webhook_written_seconds",
        "From reception to the last page's socket; without those that nobody followed."
    )
    public static let commit = Self("paycast_ledger_commit_seconds", "From BEGIN to the end of COMMIT.")
}
