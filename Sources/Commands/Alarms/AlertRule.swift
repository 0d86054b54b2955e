import Encoding
import Support

/// An alarm as a Prometheus alerting rule
/// (https://prometheus.io/docs/prometheus/latest/configuration/alerting_rules/). Pure.
public struct AlertRule: Sendable {
    enum Severity: String {
        /// Somebody is woken: buyers do not get what they paid for, or soon will not.
        case critical
        /// Somebody looks tomorrow.
        case warning
    }

    let name: String
    /// Each series that it returns is an alarm.
    private(set) var expression = ""
    /// How long it must hold, in Prometheus' words: `5m`.
    private(set) var lasting = "0m"
    let severity: Severity
    /// One sentence. May name labels of the expression: `{{ $labels.provider }}`.
    private(set) var summary = ""
    /// The heading of the Runbook that says what to do.
    let section: String

    static func critical(_ name: String, see section: String) -> AlertRule {
        AlertRule(name: "Paycast" + name, severity: .critical, section: section)
    }

    static func warning(_ name: String, see section: String) -> AlertRule {
        AlertRule(name: "Paycast" + name, severity: .warning, section: section)
    }

    func when(_ expression: String, for lasting: String = "0m") -> AlertRule {
        var rule = self
        (rule.expression, rule.lasting) = (expression, lasting)
        return rule
    }

    func says(_ summary: String) -> AlertRule {
        var rule = self
        rule.summary = summary
        return rule
    }

    /// Where the installed package has the article.
    public static let packagedRunbook = "file:///usr/share/doc/paycast/Runbook.md"

    /// A file for `rule_files`. `runbook` is the address of the article of that name.
    public static func file(_ rules: [AlertRule], runbook: String) -> String {
        let head = "# Made by “paycast alerts”.\ngroups:\n  - name: paycast\n    rules:"
        return ([head] + rules.map { $0.yaml(runbook: runbook) }).joined(separator: "\n")
    }

    private func yaml(runbook: String) -> String {
        """
              - alert: \(name)
                expr: \(JSONLiteral.literal(expression))
                for: \(lasting)
                labels:
                  severity: \(severity.rawValue)
                annotations:
                  summary: \(JSONLiteral.literal(summary))
                  runbook_url: \(JSONLiteral.literal("\(runbook)#\(anchor)"))
        """
    }

    /// As DocC makes it of a heading.
    private var anchor: String {
        String(section.filter { $0.isLetter || $0.isNumber || $0 == " " }.map { $0 == " " ? "-" : $0 })
    }
}

/// The alarms that come with the program. Alarms of one job are counted together: of several nodes, only one may have got
/// a webhook or lead.
extension AlertRule {
    public static let all = server + deliveries + pages + stores + surroundings

    private static let metrics = PromQL()
    private static let each = "job, instance"
    private static let store = "job, provider"

    /// The server and its ledger.
    private static let server: [AlertRule] = [
        // Prometheus' own, of each server that its settings or its discovery name now.
        critical("Missing", see: "The server is down")
            .when("max by (\(each)) (up) == 0 and on (\(each)) \(metrics.highest(.build, "7d", by: each))", for: "2m")
            .says("{{ $labels.instance }} answered within the last week and does not now."),
        critical("CommitsFail", see: "The ledger does not commit")
            .when("\(metrics.increase(.commitFailures, "5m", by: each)) > 0")
            .says("{{ $labels.instance }} rolls back transactions; stores get a 503."),
        critical("LedgerTrouble", see: "The ledger does not commit")
            .when("\(metrics.highest(.ledgerTrouble, by: "\(each), part", "part!=\"notifications\"")) == 1", for: "1m")
            .says("Something is wrong with the ledger of {{ $labels.instance }}: {{ $labels.part }}."),
        warning("QueueLong", see: "It is slow")
            .when("\(metrics.highest(.ledgerQueueDepth, by: each)) > 1000", for: "2m")
            .says("More arrives at {{ $labels.instance }} than its ledger can take."),
        critical("DiskFull", see: "The ledger does not commit")
            .when("\(metrics.lowest(.ledgerDiskFree, by: each)) < 1e9", for: "5m")
            .says("The ledger's disk at {{ $labels.instance }} has {{ $value | humanize1024 }}B left."),
        warning("ListenerLost", see: "A node does not hear the others")
            .when("\(metrics.highest(.ledgerTrouble, by: each, "part=\"notifications\"")) == 1", for: "1m")
            .says("{{ $labels.instance }} is not told what other nodes commit, and asks once a second."),
    ]

    /// What stores send.
    private static let deliveries: [AlertRule] = [
        critical("NothingArrives", see: "Nothing arrives")
            .when(
                "time() - \(metrics.highest(.lastAccepted, "7d", by: store)) "
                    + "> clamp_min(3 * \(metrics.leastOfHighest(.longestPause, "7d", by: store)), 3600) "
                    + "and on (\(store)) \(metrics.highest(.lastAccepted, by: store)) >= 0",
                for: "5m"
            )
            .says("No webhook of {{ $labels.provider }} for three times the longest pause before."),
        warning("WebhooksRefused", see: "Webhooks are refused")
            .when(share(refused: .webhooksRefused), for: "15m")
            .says("{{ $value | humanizePercentage }} of what {{ $labels.provider }} seems to send is refused."),
        warning("WebhooksOfAnotherApp", see: "Webhooks are refused")
            .when("\(metrics.increase(.webhooksRefused, "15m", by: "\(store), reason", misdirected)) > 0")
            .says(
                "Webhooks of {{ $labels.provider }} are genuine, and not for this server's settings: {{ $labels.reason }}."
            ),
        warning("PostsRefused", see: "Webhooks are refused")
            .when(share(refused: .postsRefused), for: "15m")
            .says(
                "{{ $value | humanizePercentage }} of what comes for {{ $labels.provider }} is posted by apps and refused."
            ),
        warning("StoreDelayed", see: "A store delivers late")
            .when("\(metrics.quantile(0.9, .webhookDelay, "30m", by: store)) > 600", for: "15m")
            .says("A tenth of what {{ $labels.provider }} sends comes {{ $value | humanizeDuration }} late, or later."),
        warning("UnclaimedGrows", see: "Purchases belong to nobody")
            .when(
                "max by (job) (\(metrics.series(GaugeMetric.unclaimedContracts)) "
                    + "- min_over_time(\(metrics.series(GaugeMetric.unclaimedContracts))[1h])) >= 5"
            )
            .says("{{ $value }} purchases of the last hour belong to nobody."),
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
    private static let pages: [AlertRule] = [
        warning("SlowToPage", see: "It is slow")
            .when("\(metrics.quantile(0.99, .webhookWritten, "10m", by: "job")) > 1", for: "10m")
            .says("Of a hundred webhooks, one takes {{ $value | humanizeDuration }} to the page, or longer."),
        warning("StreamNamesRefused", see: "Stream names are refused")
            .when("\(metrics.increase(.streamNamesRefused, "15m", by: "job, reason")) > 100")
            .says("Pages come with names that no key of this server has signed: {{ $labels.reason }}."),
        warning("ConnectionsRefused", see: "Pages reconnect in a loop")
            .when("\(metrics.increase(.connectionsRefused, "5m", by: each)) > 0")
            .says("{{ $labels.instance }} refuses connections beyond a limit."),
        warning("CableLost", see: "The cable database is lost")
            .when("\(metrics.lowest(BroadcastMetrics.railsCable.connected, by: each)) == 0", for: "1m")
            .says("The Rails app's own broadcasts do not reach {{ $labels.instance }} through its cable database."),
        warning("RedisLost", see: "Redis is lost")
            .when("\(metrics.lowest(BroadcastMetrics.redis.connected, by: each)) == 0", for: "1m")
            .says("The Rails app's own broadcasts do not reach {{ $labels.instance }} through Redis."),
    ]

    /// What stores are asked and told.
    private static let stores: [AlertRule] = [
        critical("JobDeadline", see: "A purchase must be acknowledged")
            .when("\(metrics.lowest(.nearestDeadline, by: "job")) < 86400")
            .says("A store refunds a purchase in {{ $value | humanizeDuration }} unless it is acknowledged."),
        critical("JobsAbandoned", see: "A purchase must be acknowledged")
            .when("\(metrics.increase(.jobsAbandoned, "1h", by: "job")) > 0")
            .says("A store or a staging server could not be told something."),
        critical("HooksFail", see: "The backend is told nothing")
            .when("\(metrics.highest(.hookAddressesFailing, by: "job")) > 0")
            .says("An address of the app's backend is not told what changes: paycast hooks list says why."),
        warning("StoreSlow", see: "A store's API refuses us")
            .when("\(metrics.increase(.callsRefused, "5m", by: "job, queue")) > 0")
            .says("Too many questions wait for an answer, so that deliveries get a 503: {{ $labels.queue }}."),
        warning("RecoveryStuck", see: "A history cannot be read")
            .when(
                "time() - \(metrics.highest(.recoverySucceeded, by: store)) > 7200 "
                    + "and on (job) time() - \(metrics.highest(.processStart, by: "job")) > 7200",
                for: "5m"
            )
            .says("The history of {{ $labels.provider }} was not read to its end for two hours."),
        warning("RecoveryRefused", see: "A history cannot be read")
            .when("\(metrics.increase(.recoveryRefused, "1h", by: "job")) > 0")
            .says("This server's settings refuse what a store's history holds."),
    ]

    /// What the server needs to be right around it.
    private static let surroundings: [AlertRule] = [
        warning("CertificateEnds", see: "A certificate ends")
            .when("\(metrics.lowest(.certificateEnd, by: "\(each), certificate")) - time() < 30 * 86400", for: "1d")
            .says(
                "A certificate of {{ $labels.instance }} ends in {{ $value | humanizeDuration }}: {{ $labels.certificate }}."
            ),
        warning("ClockOff", see: "The clock is wrong")
            .when(
                "abs(\(metrics.series(GaugeMetric.clock)) - timestamp(\(metrics.series(GaugeMetric.clock)))) > 5",
                for: "5m"
            )
            .says("The clocks of {{ $labels.instance }} and of Prometheus differ by {{ $value | humanizeDuration }}."),
    ]
}
