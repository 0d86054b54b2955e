/// A level that goes up and down, as `/metrics` shows it. These are all that there are.
public struct GaugeMetric: Metric {
    public let name: String
    public let help: String
    public let labels: [String]

    init(_ name: String, _ help: String, labels: [String] = []) {
        self.name = name
        self.help = help
        self.labels = labels
    }
}

/// From a webhook to the commit.
extension GaugeMetric {
    public static let lastAccepted = Self(
        "paycast_webhook_last_accepted_timestamp_seconds",
        "When a webhook was last accepted, in Unix time; 0 before the first since the start, -1 for a store without settings.",
        labels: ["provider"]
    )
    public static let longestPause = Self(
        "paycast_webhook_longest_pause_seconds",
        "The longest time between two of the last 1000 accepted webhooks; 0 before it is known.",
        labels: ["provider"]
    )
    public static let webhooksRefusedInARow = Self(
        "paycast_webhooks_refused_in_a_row",
        "Webhooks that look like the store's own and were refused since one was accepted; a day after the newest, 0.",
        labels: ["provider"]
    )
    public static let postsRefusedInARow = Self(
        "paycast_posts_refused_in_a_row",
        "Purchases that apps posted and that were refused since one was accepted; a day after the newest, 0.",
        labels: ["provider"]
    )
    public static let unclaimedContracts = Self("paycast_unclaimed_contracts", "Contracts whose user is not known.")
    public static let unclaimedInARow = Self(
        "paycast_purchases_unclaimed_in_a_row",
        "New purchases whose user was not known since one had a user.",
        labels: ["provider"]
    )
}

/// The ledger.
extension GaugeMetric {
    public static let ledgerBatchSize = Self("paycast_ledger_batch_size", "Commands of the last transaction.")
    public static let ledgerQueueDepth = Self(
        "paycast_ledger_queue_depth",
        "Commands that waited for the last transaction."
    )
    public static let ledgerTrouble = Self(
        "paycast_ledger_trouble",
        "1 while something is wrong with this part of the ledger.",
        labels: ["part"]
    )
    public static let settingsDifferent = Self(
        "paycast_settings_different",
        "Settings that have differed between the nodes for more than five minutes."
    )
    public static let ledgerDiskFree = Self("paycast_ledger_disk_free_bytes", "Room that is left on the ledger's disk.")
}

/// Stores and jobs.
extension GaugeMetric {
    public static let callsWaiting = Self(
        "paycast_calls_waiting",
        "What waits for a thread that may ask a store, or for an operator's.",
        labels: ["queue"]
    )
    public static let deliveriesWaiting = Self(
        "paycast_store_deliveries_waiting",
        "Webhooks answered 503 since the store's API last answered, because it did not.",
        labels: ["provider"]
    )
    public static let recoverySucceeded = Self(
        "paycast_recovery_last_success_timestamp_seconds",
        "When a store's history was last read to its end, in Unix time; 0 before the first since the start.",
        labels: ["provider"]
    )
    public static let jobsWaiting = Self(
        "paycast_jobs_waiting",
        "What stores and staging servers are still to be told."
    )
    public static let nearestDeadline = Self(
        "paycast_job_nearest_deadline_seconds",
        "Time left for the most urgent one; 999999999 when none has a deadline."
    )
    public static let outgoingHeld = Self(
        "paycast_outgoing_held",
        "1 while nothing goes out because the ledger was restored, copied or moved."
    )
    public static let hooksWaiting = Self("paycast_hooks_waiting", "Messages that the app's backend is still to get.")
    public static let hookOldest = Self(
        "paycast_hook_oldest_seconds",
        "How long the oldest of them has waited; 0 when none waits."
    )
    public static let hookAddressesFailing = Self(
        "paycast_hook_addresses_failing",
        "Addresses that have failed for over an hour, or have answered 410."
    )
}

/// Pages.
extension GaugeMetric {
    public static let pages = Self("paycast_pages", "Pages connected now, by transport.", labels: ["transport"])
    public static let streams = Self("paycast_streams", "Streams that pages follow, summed over the loops.")
    public static let queuedBytes = Self(
        "paycast_queued_bytes",
        "What was published and the loops have not written yet, in bytes, counted for each page."
    )
    public static let namesRefusedInARow = Self(
        "paycast_stream_names_refused_in_a_row",
        "Signed stream names that no key of this server vouches for since one was accepted; a day after the newest, 0."
    )
}

/// Connections.
extension GaugeMetric {
    public static let connections = Self("paycast_connections", "Open connections.")
    public static let http2Connections = Self("paycast_http2_connections", "Open connections that speak HTTP/2.")
    public static let http2Streams = Self("paycast_http2_streams", "Requests and pages on them, each a connection too.")
    public static let certificateEnd = Self(
        "paycast_certificate_end_timestamp_seconds",
        "When a certificate ends, in Unix time: the one that is shown, or the first of a store's roots.",
        labels: ["certificate"]
    )
}

/// The process. All but the first three have the names that every Prometheus client library gives them
/// (https://prometheus.io/docs/instrumenting/writing_clientlibs/#process-metrics).
extension GaugeMetric {
    public static let build = Self("paycast_build_info", "Always 1; the version is a label.", labels: ["version"])
    public static let clock = Self("paycast_clock_seconds", "The time by this server's clock, in Unix time.")
    public static let clockAhead = Self(
        "paycast_clock_ahead_seconds",
        "How far this server's clock is ahead of that of the store that spoke last; 0 before one has."
    )
    public static let processStart = Self("process_start_time_seconds", "Start of the server, in Unix time.")
    public static let residentMemory = Self("process_resident_memory_bytes", "Memory that the process takes now.")
    public static let openFiles = Self("process_open_fds", "Files and sockets that are open.")
    public static let mostFiles = Self("process_max_fds", "Files and sockets that may be open.")
}

/// A Rails app's cable database, beside what `BroadcastMetrics` has.
extension GaugeMetric {
    public static let cableStreams = Self(
        "paycast_rails_cable_streams",
        "Streams that are listened to, of the adapter postgresql."
    )
}

/// Under AnyCable's names, as `CounterMetric` has some.
extension GaugeMetric {
    public static let anyCableClients = Self("anycable_go_clients_num", "The number of active clients")
    public static let anyCableEventStreams = Self("anycable_go_sse_clients_num", "The number of active SSE clients")
}
