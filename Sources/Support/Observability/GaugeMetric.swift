/// A level that goes up and down, as `/metrics` shows it. These are all that there are.
public struct GaugeMetric: Metric {
    public let name: String
    public let help: String
    public let labels: [String]

    init(_ name: String, help: String, labels: [String] = []) {
        self.name = name
        self.help = help
        self.labels = labels
    }
}

/// From a webhook to the commit.
extension GaugeMetric {
    public static let lastAccepted = GaugeMetric(
        "paycast_webhook_last_accepted_timestamp_seconds",
        help:
            "When a webhook was last accepted, in Unix time; 0 before the first since the start, -1 for a store without settings.",
        labels: ["provider"]
    )
    public static let longestPause = GaugeMetric(
        "paycast_webhook_longest_pause_seconds",
        help: "The longest time between two of the last 1000 accepted webhooks; 0 before it is known.",
        labels: ["provider"]
    )
    public static let unclaimedContracts = GaugeMetric(
        "paycast_unclaimed_contracts",
        help: "Contracts whose user is not known."
    )
}

/// The ledger.
extension GaugeMetric {
    public static let ledgerBatchSize = GaugeMetric(
        "paycast_ledger_batch_size",
        help: "Commands of the last transaction."
    )
    public static let ledgerQueueDepth = GaugeMetric(
        "paycast_ledger_queue_depth",
        help: "Commands that waited for the last transaction."
    )
    public static let ledgerTrouble = GaugeMetric(
        "paycast_ledger_trouble",
        help: "1 while something is wrong with this part of the ledger.",
        labels: ["part"]
    )
    public static let ledgerDiskFree = GaugeMetric(
        "paycast_ledger_disk_free_bytes",
        help: "Room that is left on the ledger's disk."
    )
}

/// Stores and jobs.
extension GaugeMetric {
    public static let callsWaiting = GaugeMetric(
        "paycast_calls_waiting",
        help: "What waits for a thread that may ask a store, or for an operator's.",
        labels: ["queue"]
    )
    public static let recoverySucceeded = GaugeMetric(
        "paycast_recovery_last_success_timestamp_seconds",
        help: "When a store's history was last read to its end, in Unix time; 0 before the first since the start.",
        labels: ["provider"]
    )
    public static let jobsWaiting = GaugeMetric(
        "paycast_jobs_waiting",
        help: "What stores and staging servers are still to be told."
    )
    public static let nearestDeadline = GaugeMetric(
        "paycast_job_nearest_deadline_seconds",
        help: "Time left for the most urgent one; 999999999 when none has a deadline."
    )
    public static let hooksWaiting = GaugeMetric(
        "paycast_hooks_waiting",
        help: "Messages that the app's backend is still to get."
    )
    public static let hookOldest = GaugeMetric(
        "paycast_hook_oldest_seconds",
        help: "How long the oldest of them has waited; 0 when none waits."
    )
    public static let hookAddressesFailing = GaugeMetric(
        "paycast_hook_addresses_failing",
        help: "Addresses that have failed for over an hour, or have answered 410."
    )
}

/// Pages.
extension GaugeMetric {
    public static let pages = GaugeMetric(
        "paycast_pages",
        help: "Pages connected now, by transport.",
        labels: ["transport"]
    )
    public static let streams = GaugeMetric(
        "paycast_streams",
        help: "Streams that pages follow, summed over the loops."
    )
}

/// Connections.
extension GaugeMetric {
    public static let connections = GaugeMetric("paycast_connections", help: "Open connections.")
    public static let http2Connections = GaugeMetric(
        "paycast_http2_connections",
        help: "Open connections that speak HTTP/2."
    )
    public static let http2Streams = GaugeMetric(
        "paycast_http2_streams",
        help: "Requests and pages on them, each a connection too."
    )
    public static let certificateEnd = GaugeMetric(
        "paycast_certificate_end_timestamp_seconds",
        help: "When a certificate ends, in Unix time: the one that is shown, or the first of a store's roots.",
        labels: ["certificate"]
    )
}

/// The process. All but the first two have the names that every Prometheus client library gives them
/// (https://prometheus.io/docs/instrumenting/writing_clientlibs/#process-metrics).
extension GaugeMetric {
    public static let build = GaugeMetric(
        "paycast_build_info",
        help: "Always 1; the version is a label.",
        labels: ["version"]
    )
    public static let clock = GaugeMetric(
        "paycast_clock_seconds",
        help: "The time by this server's clock, in Unix time."
    )
    public static let processStart = GaugeMetric(
        "process_start_time_seconds",
        help: "Start of the server, in Unix time."
    )
    public static let residentMemory = GaugeMetric(
        "process_resident_memory_bytes",
        help: "Memory that the process takes now."
    )
    public static let openFiles = GaugeMetric("process_open_fds", help: "Files and sockets that are open.")
    public static let mostFiles = GaugeMetric("process_max_fds", help: "Files and sockets that may be open.")
}

/// A Rails app's cable database, beside what `BroadcastMetrics` has.
extension GaugeMetric {
    public static let cableStreams = GaugeMetric(
        "paycast_rails_cable_streams",
        help: "Streams that are listened to, of the adapter postgresql."
    )
}

/// Under AnyCable's names, as `CounterMetric` has some.
extension GaugeMetric {
    public static let anyCableClients = GaugeMetric("anycable_go_clients_num", help: "The number of active clients")
    public static let anyCableEventStreams = GaugeMetric(
        "anycable_go_sse_clients_num",
        help: "The number of active SSE clients"
    )
}
