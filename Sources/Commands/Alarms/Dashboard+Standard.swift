import Support

/// The dashboard that comes with the program: its rows in the order in which one looks for a fault.
extension Dashboard {
    public static let standard = Dashboard([
        overview, webhooks, ledger, stores, pages, connections, process, rails,
    ])

    private static let metrics = PromQL(scope: "job=~\"$job\",instance=~\"$instance\"")
    private static let range = "$__rate_interval"
    private static let each = "instance"

    private static let overview = Row(
        title: "Now",
        height: 4,
        charts: [
            .number("Servers", .build, "count(\(metrics.series(GaugeMetric.build)))"),
            .number("Open pages", .pages, "sum(\(metrics.series(GaugeMetric.pages)))"),
            .number("Purchases of nobody", .unclaimedContracts, metrics.highest(.unclaimedContracts, by: "job")),
            .number("Nearest deadline", .nearestDeadline, metrics.lowest(.nearestDeadline, by: "job"), unit: "s"),
            .number("Jobs waiting", .jobsWaiting, metrics.highest(.jobsWaiting, by: "job")),
            .number(
                "First certificate ends",
                .certificateEnd,
                "min(\(metrics.series(GaugeMetric.certificateEnd))) - time()",
                unit: "s"
            ),
        ]
    )

    private static let webhooks = Row(
        title: "From a webhook to a page",
        charts: [
            .rate("Events", .events, by: ["provider", "outcome"], metrics),
            .rate("Webhooks refused", .webhooksRefused, by: ["provider", "reason"], metrics),
            .rate("Posts refused", .postsRefused, by: ["provider", "reason"], metrics),
            Chart(
                title: "Until the page",
                help: HistogramMetric.webhookWritten.help,
                unit: "s",
                lines: [
                    (metrics.quantile(0.5, .webhookWritten, range, by: "job"), "half"),
                    (metrics.quantile(0.99, .webhookWritten, range, by: "job"), "99 %"),
                    (metrics.quantile(0.99, .webhookCommitted, range, by: "job"), "99 %, committed"),
                    (metrics.quantile(0.99, .webhookVerified, range, by: "job"), "99 %, verified"),
                ]
            ),
            Chart(
                title: "Store's delay, 90 %",
                help: HistogramMetric.webhookDelay.help,
                unit: "s",
                lines: [
                    (metrics.quantile(0.9, .webhookDelay, range, by: "provider"), "{{provider}}")
                ]
            ),
            Chart(
                title: "Since the last webhook",
                help: "\(GaugeMetric.lastAccepted.help) Beside it, the longest pause before.",
                unit: "s",
                lines: [
                    ("time() - (\(metrics.highest(.lastAccepted, by: "provider")) > 0)", "{{provider}}"),
                    ("\(metrics.highest(.longestPause, by: "provider")) > 0", "{{provider}}, longest"),
                ]
            ),
        ]
    )

    private static let ledger = Row(
        title: "Ledger",
        charts: [
            Chart(
                title: "Commits",
                help: HistogramMetric.commit.help,
                unit: "s",
                lines: [
                    (metrics.quantile(0.5, .commit, range, by: each), "half, {{instance}}"),
                    (metrics.quantile(0.99, .commit, range, by: each), "99 %, {{instance}}"),
                ]
            ),
            .rate("Commands", .ledgerCommands, by: [each], metrics),
            .rate("Commits that fail", .commitFailures, by: [each], metrics),
            .level("Commands waiting", .ledgerQueueDepth, by: [each], metrics),
            .level("Trouble", .ledgerTrouble, by: [each, "part"], metrics),
            .level("Disk left", .ledgerDiskFree, by: [each], metrics, unit: "bytes"),
        ]
    )

    private static let stores = Row(
        title: "Stores and jobs",
        charts: [
            .level("Calls waiting", .callsWaiting, by: ["queue"], metrics),
            .rate("Calls refused", .callsRefused, by: ["queue"], metrics),
            .rate("Jobs abandoned", .jobsAbandoned, by: [each], metrics),
            .level("Messages to the backend waiting", .hooksWaiting, by: [each], metrics),
            .rate("Recovered", .recovered, by: [each], metrics),
            .rate("Recovery refused", .recoveryRefused, by: [each], metrics),
            Chart(
                title: "Since the last recovery",
                help: GaugeMetric.recoverySucceeded.help,
                unit: "s",
                lines: [
                    ("time() - (\(metrics.highest(.recoverySucceeded, by: "provider")) > 0)", "{{provider}}")
                ]
            ),
        ]
    )

    private static let pages = Row(
        title: "Pages",
        charts: [
            .level("Pages by transport", .pages, by: ["transport"], metrics),
            .level("Streams", .streams, by: [each], metrics),
            .rate("Frames", .deliveries, by: [each], metrics),
            .rate("Commits that no page followed", .unheard, by: [each], metrics),
            .rate("Pages that had missed something", .replayed, by: [each], metrics),
            .rate("Pages told to reload", .healed, by: [each], metrics),
            .rate("Names that had ended", .expired, by: [each], metrics),
            .rate("Names refused", .streamNamesRefused, by: ["reason"], metrics),
            .rate("Slow pages closed", .slowClosed, by: [each], metrics),
        ]
    )

    private static let connections = Row(
        title: "Connections",
        charts: [
            .level("Open connections", .connections, by: [each], metrics),
            .rate("Refused", .connectionsRefused, by: [each, "answer"], metrics),
            .rate("Overdue", .overdueClosed, by: ["deadline"], metrics),
            .rate("Answers", .responses, by: ["class"], metrics),
            .level("HTTP/2 streams", .http2Streams, by: [each], metrics),
            .rate("Action Cable commands", .cableCommands, by: [each], metrics),
        ]
    )

    private static let process = Row(
        title: "Process",
        charts: [
            .level("Memory", .residentMemory, by: [each], metrics, unit: "bytes"),
            Chart(
                title: "Files and sockets",
                help: GaugeMetric.openFiles.help,
                lines: [
                    (metrics.highest(.openFiles, by: each), "{{instance}}"),
                    (metrics.highest(.mostFiles, by: each), "most, {{instance}}"),
                ]
            ),
            Chart(
                title: "Up since",
                help: GaugeMetric.processStart.help,
                unit: "s",
                lines: [
                    // The name is every program's; the other's series say which jobs are ours.
                    (
                        "time() - (\(metrics.highest(.processStart, by: "job, instance")) "
                            + "and on (job, instance) \(metrics.series(GaugeMetric.build)))", "{{instance}}"
                    )
                ]
            ),
        ]
    )

    private static let rails = Row(
        title: "A Rails app's own broadcasts",
        charts: [
            .level("Cable database", BroadcastMetrics.railsCable.connected, by: [each], metrics, width: 6),
            .rate("Its broadcasts", BroadcastMetrics.railsCable.messages, by: [each], metrics, width: 6),
            .level("Redis", BroadcastMetrics.redis.connected, by: [each], metrics, width: 6),
            .rate("Broadcasts of Redis", BroadcastMetrics.redis.messages, by: [each], metrics, width: 6),
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
        Dashboard.Chart(
            title: title,
            help: metric.help,
            kind: .stat,
            unit: unit,
            width: 4,
            lines: [(expression, "")]
        )
    }

    /// Per second.
    fileprivate static func rate(
        _ title: String,
        _ metric: CounterMetric,
        by labels: [String],
        _ metrics: PromQL,
        width: Int = 8
    ) -> Dashboard.Chart {
        let expression = metrics.rate(metric, "$__rate_interval", by: labels.joined(separator: ", "))
        return Dashboard.Chart(
            title: title,
            help: metric.help,
            unit: "cps",
            width: width,
            lines: [(expression, legend(labels))]
        )
    }

    fileprivate static func level(
        _ title: String,
        _ metric: GaugeMetric,
        by labels: [String],
        _ metrics: PromQL,
        unit: String = "short",
        width: Int = 8
    ) -> Dashboard.Chart {
        Dashboard.Chart(
            title: title,
            help: metric.help,
            unit: unit,
            width: width,
            lines: [(metrics.sum(metric, by: labels.joined(separator: ", ")), legend(labels))]
        )
    }

    private static func legend(_ labels: [String]) -> String {
        labels.map { "{{\($0)}}" }.joined(separator: ", ")
    }
}
