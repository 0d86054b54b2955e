import Support

/// The dashboard that comes with the program: its rows in the order in which one looks for a fault.
extension Dashboard {
    public static let standard = Dashboard([
        overview, webhooks, ledger, stores, pages, connections, process, rails,
    ])

    private static let each = "instance"

    private static let overview = Row(
        title: "Now",
        height: 4,
        charts: [
            .number("Servers", .build, "count(\(PromQL.series(.build)))"),
            .number("Open pages", .pages, "sum(\(PromQL.series(.pages)))"),
            .number("Purchases of nobody", .unclaimedContracts, PromQL.highest(.unclaimedContracts, by: "job")),
            .number("Nearest deadline", .nearestDeadline, PromQL.lowest(.nearestDeadline, by: "job"), unit: "s"),
            .number("Jobs waiting", .jobsWaiting, PromQL.highest(.jobsWaiting, by: "job")),
            .number(
                "First certificate ends",
                .certificateEnd,
                "min(\(PromQL.series(.certificateEnd))) - time()",
                unit: "s"
            ),
        ]
    )

    private static let webhooks = Row(
        title: "From a webhook to a page",
        charts: [
            .rate("Events", .events, by: ["provider", "outcome"]),
            .rate("Webhooks refused", .webhooksRefused, by: ["provider", "reason"]),
            .rate("Posts refused", .postsRefused, by: ["provider", "reason"]),
            Chart("Until the page", HistogramMetric.webhookWritten.help, unit: "s")
                .with(PromQL.quantile(0.5, .webhookWritten, by: "job"), "half")
                .with(PromQL.quantile(0.99, .webhookWritten, by: "job"), "99 %")
                .with(PromQL.quantile(0.99, .webhookCommitted, by: "job"), "99 %, committed")
                .with(PromQL.quantile(0.99, .webhookVerified, by: "job"), "99 %, verified"),
            Chart("Store's delay, 90 %", HistogramMetric.webhookDelay.help, unit: "s")
                .with(PromQL.quantile(0.9, .webhookDelay, by: "provider"), "{{provider}}"),
            Chart(
                "Since the last webhook",
                "\(GaugeMetric.lastAccepted.help) Beside it, the longest pause before.",
                unit: "s"
            )
            .with("time() - (\(PromQL.highest(.lastAccepted, by: "provider")) > 0)", "{{provider}}")
            .with("\(PromQL.highest(.longestPause, by: "provider")) > 0", "{{provider}}, longest"),
        ]
    )

    private static let ledger = Row(
        title: "Ledger",
        charts: [
            Chart("Commits", HistogramMetric.commit.help, unit: "s")
                .with(PromQL.quantile(0.5, .commit, by: each), "half, {{instance}}")
                .with(PromQL.quantile(0.99, .commit, by: each), "99 %, {{instance}}"),
            .rate("Commands", .ledgerCommands, by: [each]),
            .rate("Commits that fail", .commitFailures, by: [each]),
            .level("Commands waiting", .ledgerQueueDepth, by: [each]),
            .level("Trouble", .ledgerTrouble, by: [each, "part"]),
            .level("Disk left", .ledgerDiskFree, by: [each], unit: "bytes"),
        ]
    )

    private static let stores = Row(
        title: "Stores and jobs",
        charts: [
            .level("Calls waiting", .callsWaiting, by: ["queue"]),
            .rate("Calls refused", .callsRefused, by: ["queue"]),
            .rate("Jobs abandoned", .jobsAbandoned, by: [each]),
            .level("Messages to the backend waiting", .hooksWaiting, by: [each]),
            .rate("Recovered", .recovered, by: [each]),
            .rate("Recovery refused", .recoveryRefused, by: [each]),
            Chart("Since the last recovery", GaugeMetric.recoverySucceeded.help, unit: "s")
                .with("time() - (\(PromQL.highest(.recoverySucceeded, by: "provider")) > 0)", "{{provider}}"),
        ]
    )

    private static let pages = Row(
        title: "Pages",
        charts: [
            .level("Pages by transport", .pages, by: ["transport"]),
            .level("Streams", .streams, by: [each]),
            .rate("Frames", .deliveries, by: [each]),
            .level("Published, not written", .queuedBytes, by: [each], unit: "bytes"),
            .rate("Commits that no page followed", .unheard, by: [each]),
            .rate("Pages that had missed something", .replayed, by: [each]),
            .rate("Pages told to reload", .healed, by: [each]),
            .rate("Names that had ended", .expired, by: [each]),
            .rate("Names refused", .streamNamesRefused, by: ["reason"]),
            .rate("Slow pages closed", .slowClosed, by: [each]),
        ]
    )

    private static let connections = Row(
        title: "Connections",
        charts: [
            .level("Open connections", .connections, by: [each]),
            .rate("Refused", .connectionsRefused, by: [each, "answer"]),
            .rate("Overdue", .overdueClosed, by: ["deadline"]),
            .rate("Answers", .responses, by: ["class"]),
            .level("HTTP/2 streams", .http2Streams, by: [each]),
            .rate("Action Cable commands", .cableCommands, by: [each]),
        ]
    )

    private static let process = Row(
        title: "Process",
        charts: [
            .level("Memory", .residentMemory, by: [each], unit: "bytes"),
            Chart("Files and sockets", GaugeMetric.openFiles.help)
                .with(PromQL.highest(.openFiles, by: each), "{{instance}}")
                .with(PromQL.highest(.mostFiles, by: each), "most, {{instance}}"),
            Chart("Up since", GaugeMetric.processStart.help, unit: "s")
                // The name is every program's; the other's series say which jobs are ours.
                .with(
                    "time() - (\(PromQL.highest(.processStart, by: "job, instance")) "
                        + "and on (job, instance) \(PromQL.series(.build)))",
                    "{{instance}}"
                ),
        ]
    )

    private static let rails = Row(
        title: "A Rails app's own broadcasts",
        charts: [
            .level("Cable database", BroadcastMetrics.railsCable.connected, by: [each], width: 6),
            .rate("Its broadcasts", BroadcastMetrics.railsCable.messages, by: [each], width: 6),
            .level("Redis", BroadcastMetrics.redis.connected, by: [each], width: 6),
            .rate("Broadcasts of Redis", BroadcastMetrics.redis.messages, by: [each], width: 6),
        ]
    )
}

extension Dashboard.Chart {
    fileprivate static func number(
        _ title: String,
        _ metric: GaugeMetric,
        _ expression: String,
        unit: String = "short"
    ) -> Dashboard.Chart {
        Dashboard.Chart(title, metric.help, kind: .stat, unit: unit, width: 4).with(expression, "")
    }

    /// Per second.
    fileprivate static func rate(
        _ title: String,
        _ metric: CounterMetric,
        by labels: [String],
        width: Int = 8
    ) -> Dashboard.Chart {
        Dashboard.Chart(title, metric.help, unit: "cps", width: width)
            .with(PromQL.rate(metric, by: labels.joined(separator: ", ")), legend(labels))
    }

    fileprivate static func level(
        _ title: String,
        _ metric: GaugeMetric,
        by labels: [String],
        unit: String = "short",
        width: Int = 8
    ) -> Dashboard.Chart {
        Dashboard.Chart(title, metric.help, unit: unit, width: width)
            .with(PromQL.sum(metric, by: labels.joined(separator: ", ")), legend(labels))
    }

    private static func legend(_ labels: [String]) -> String {
        labels.map { "{{\($0)}}" }.joined(separator: ", ")
    }
}

/// Expressions of Prometheus' query language over the program's own metrics, of the jobs and servers that are chosen
/// (https://prometheus.io/docs/prometheus/latest/querying/basics/).
private enum PromQL {
    static func series(_ metric: GaugeMetric) -> String { chosen(metric.name) }

    /// Per second.
    static func rate(_ metric: CounterMetric, by labels: String) -> String {
        "sum by (\(labels)) (\(rate(metric.name)))"
    }

    /// What the share `part` of the durations stays below, in seconds.
    static func quantile(_ part: Double, _ metric: HistogramMetric, by labels: String) -> String {
        "histogram_quantile(\(part), sum by (\(labels), le) (\(rate(metric.bucket))))"
    }

    static func highest(_ metric: GaugeMetric, by labels: String) -> String { "max by (\(labels)) (\(series(metric)))" }
    static func lowest(_ metric: GaugeMetric, by labels: String) -> String { "min by (\(labels)) (\(series(metric)))" }
    static func sum(_ metric: GaugeMetric, by labels: String) -> String { "sum by (\(labels)) (\(series(metric)))" }

    private static func rate(_ name: String) -> String { "rate(\(chosen(name))[$__rate_interval])" }
    private static func chosen(_ name: String) -> String { "\(name){job=~\"$job\",instance=~\"$instance\"}" }
}
