internal import Support

/// The alarms that come with the program. Alarms of one job are counted together: of several nodes, only one may have got
/// a webhook or lead.
extension AlertRule {
    public static let all = server + deliveries + pages + stores + surroundings

    private static let metrics = PromQL()
    private static let each = "job, instance"
    private static let store = "job, provider"

    /// The server and its ledger.
    private static let server = [
        AlertRule(
            "Missing",
            // Prometheus' own, of each server that its settings or its discovery name now.
            when: "max by (\(each)) (up) == 0 and on (\(each)) \(metrics.highest(.build, "7d", by: each))",
            lasting: "2m",
            .critical,
            "{{ $labels.instance }} answered within the last week and does not now.",
            section: "The server is down"
        ),
        AlertRule(
            "CommitsFail",
            when: "\(metrics.increase(.commitFailures, "5m", by: each)) > 0",
            .critical,
            "{{ $labels.instance }} rolls back transactions; stores get a 503.",
            section: "The ledger does not commit"
        ),
        AlertRule(
            "LedgerTrouble",
            when: "\(metrics.highest(.ledgerTrouble, by: "\(each), part", "part!=\"notifications\"")) == 1",
            lasting: "1m",
            .critical,
            "Something is wrong with the ledger of {{ $labels.instance }}: {{ $labels.part }}.",
            section: "The ledger does not commit"
        ),
        AlertRule(
            "QueueLong",
            when: "\(metrics.highest(.ledgerQueueDepth, by: each)) > 1000",
            lasting: "2m",
            .warning,
            "More arrives at {{ $labels.instance }} than its ledger can take.",
            section: "It is slow"
        ),
        AlertRule(
            "DiskFull",
            when: "\(metrics.lowest(.ledgerDiskFree, by: each)) < 1e9",
            lasting: "5m",
            .critical,
            "The ledger's disk at {{ $labels.instance }} has {{ $value | humanize1024 }}B left.",
            section: "The ledger does not commit"
        ),
        AlertRule(
            "ListenerLost",
            when: "\(metrics.highest(.ledgerTrouble, by: each, "part=\"notifications\"")) == 1",
            lasting: "1m",
            .warning,
            "{{ $labels.instance }} is not told what other nodes commit, and asks once a second.",
            section: "A node does not hear the others"
        ),
    ]

    /// What stores send.
    private static let deliveries = [
        AlertRule(
            "NothingArrives",
            when: """
                time() - \(metrics.highest(.lastAccepted, "7d", by: store)) \
                > clamp_min(3 * \(metrics.leastOfHighest(.longestPause, "7d", by: store)), 3600) \
                and on (\(store)) \(metrics.highest(.lastAccepted, by: store)) >= 0
                """,
            lasting: "5m",
            .critical,
            "No webhook of {{ $labels.provider }} for three times the longest pause before.",
            section: "Nothing arrives"
        ),
        AlertRule(
            "WebhooksRefused",
            when: share(refused: .webhooksRefused),
            lasting: "15m",
            .warning,
            "{{ $value | humanizePercentage }} of what {{ $labels.provider }} seems to send is refused.",
            section: "Webhooks are refused"
        ),
        AlertRule(
            "WebhooksOfAnotherApp",
            when: """
                \(metrics.increase(.webhooksRefused, "15m", by: "\(store), reason", misdirected)) > 0
                """,
            .warning,
            "Webhooks of {{ $labels.provider }} are genuine, and not for this server's settings: {{ $labels.reason }}.",
            section: "Webhooks are refused"
        ),
        AlertRule(
            "PostsRefused",
            when: share(refused: .postsRefused),
            lasting: "15m",
            .warning,
            "{{ $value | humanizePercentage }} of what comes for {{ $labels.provider }} is posted by apps and refused.",
            section: "Webhooks are refused"
        ),
        AlertRule(
            "StoreDelayed",
            when: "\(metrics.quantile(0.9, .webhookDelay, "30m", by: store)) > 600",
            lasting: "15m",
            .warning,
            "A tenth of what {{ $labels.provider }} sends comes {{ $value | humanizeDuration }} late, or later.",
            section: "A store delivers late"
        ),
        AlertRule(
            "UnclaimedGrows",
            when: """
                max by (job) (\(metrics.series(GaugeMetric.unclaimedContracts)) \
                - min_over_time(\(metrics.series(GaugeMetric.unclaimedContracts))[1h])) >= 5
                """,
            .warning,
            "{{ $value }} purchases of the last hour belong to nobody.",
            section: "Purchases belong to nobody"
        ),
    ]

    /// Of all that comes for a store. A stranger's junk is a large share of it where nobody buys.
    private static func share(refused metric: CounterMetric) -> String {
        let refused = metrics.rate(metric, "15m", by: store)
        return "\(refused) / (\(refused) + \(metrics.rate(.events, "15m", by: store))) > 0.05 "
            + "and \(metrics.increase(metric, "15m", by: store)) > 10"
    }

    /// Found out after the signature: no junk causes them.
    private static let misdirected = "reason=~\"wrong_app|wrong_environment\""

    /// What pages get.
    private static let pages = [
        AlertRule(
            "SlowToPage",
            when: "\(metrics.quantile(0.99, .webhookWritten, "10m", by: "job")) > 1",
            lasting: "10m",
            .warning,
            "Of a hundred webhooks, one takes {{ $value | humanizeDuration }} to the page, or longer.",
            section: "It is slow"
        ),
        AlertRule(
            "StreamNamesRefused",
            when: "\(metrics.increase(.streamNamesRefused, "15m", by: "job, reason")) > 100",
            .warning,
            "Pages come with names that no key of this server has signed: {{ $labels.reason }}.",
            section: "Stream names are refused"
        ),
        AlertRule(
            "ConnectionsRefused",
            when: "\(metrics.increase(.connectionsRefused, "5m", by: each)) > 0",
            .warning,
            "{{ $labels.instance }} refuses connections beyond a limit.",
            section: "Pages reconnect in a loop"
        ),
        AlertRule(
            "CableLost",
            when: "\(metrics.lowest(BroadcastMetrics.railsCable.connected, by: each)) == 0",
            lasting: "1m",
            .warning,
            "The Rails app's own broadcasts do not reach {{ $labels.instance }} through its cable database.",
            section: "The cable database is lost"
        ),
        AlertRule(
            "RedisLost",
            when: "\(metrics.lowest(BroadcastMetrics.redis.connected, by: each)) == 0",
            lasting: "1m",
            .warning,
            "The Rails app's own broadcasts do not reach {{ $labels.instance }} through Redis.",
            section: "Redis is lost"
        ),
    ]

    /// What stores are asked and told.
    private static let stores = [
        AlertRule(
            "JobDeadline",
            when: "\(metrics.lowest(.nearestDeadline, by: "job")) < 86400",
            .critical,
            "A store refunds a purchase in {{ $value | humanizeDuration }} unless it is acknowledged.",
            section: "A purchase must be acknowledged"
        ),
        AlertRule(
            "JobsAbandoned",
            when: "\(metrics.increase(.jobsAbandoned, "1h", by: "job")) > 0",
            .critical,
            "A store or a staging server could not be told something.",
            section: "A purchase must be acknowledged"
        ),
        AlertRule(
            "HooksFail",
            when: "\(metrics.highest(.hookAddressesFailing, by: "job")) > 0",
            .critical,
            "An address of the app's backend is not told what changes: paycast hooks list says why.",
            section: "The backend is told nothing"
        ),
        AlertRule(
            "StoreSlow",
            when: "\(metrics.increase(.callsRefused, "5m", by: "job, queue")) > 0",
            .warning,
            "Too many questions wait for an answer, so that deliveries get a 503: {{ $labels.queue }}.",
            section: "A store's API refuses us"
        ),
        AlertRule(
            "RecoveryStuck",
            when: """
                time() - \(metrics.highest(.recoverySucceeded, by: store)) > 7200 \
                and on (job) time() - \(metrics.highest(.processStart, by: "job")) > 7200
                """,
            lasting: "5m",
            .warning,
            "The history of {{ $labels.provider }} was not read to its end for two hours.",
            section: "A history cannot be read"
        ),
        AlertRule(
            "RecoveryRefused",
            when: "\(metrics.increase(.recoveryRefused, "1h", by: "job")) > 0",
            .warning,
            "This server's settings refuse what a store's history holds.",
            section: "A history cannot be read"
        ),
    ]

    /// What the server needs to be right around it.
    private static let surroundings = [
        AlertRule(
            "CertificateEnds",
            when: "\(metrics.lowest(.certificateEnd, by: "\(each), certificate")) - time() < 30 * 86400",
            lasting: "1d",
            .warning,
            "A certificate of {{ $labels.instance }} ends in {{ $value | humanizeDuration }}: {{ $labels.certificate }}.",
            section: "A certificate ends"
        ),
        AlertRule(
            "ClockOff",
            when: "abs(\(metrics.series(GaugeMetric.clock)) - timestamp(\(metrics.series(GaugeMetric.clock)))) > 5",
            lasting: "5m",
            .warning,
            "The clocks of {{ $labels.instance }} and of Prometheus differ by {{ $value | humanizeDuration }}.",
            section: "The clock is wrong"
        ),
    ]
}
