internal import Domain
internal import Support

/// The writer's metrics.
struct LedgerMetrics: Sendable {
    let commitTime: Histogram
    let batchSize: Gauge
    let commands: Counter
    let failures: Counter
    let queueDepth: Gauge
    let unclaimed: Gauge
    private let outcomes: [Provider: [Outcome: Counter]]

    init(_ metrics: Metrics, providers: [Provider]) {
        commitTime = metrics.histogram("paycast_ledger_commit_seconds", help: "From BEGIN to the end of COMMIT.")
        batchSize = metrics.gauge("paycast_ledger_batch_size", help: "Commands of the last transaction.")
        commands = metrics.counter("paycast_ledger_commands_total", help: "Commands that were committed.")
        failures = metrics.counter("paycast_ledger_commit_failures_total", help: "Transactions that were rolled back.")
        queueDepth = metrics.gauge("paycast_ledger_queue_depth", help: "Commands that waited for the last transaction.")
        unclaimed = metrics.gauge("paycast_unclaimed_contracts", help: "Contracts whose user is not known.")
        var outcomes: [Provider: [Outcome: Counter]] = [:]
        for provider in providers {
            for outcome in Outcome.allCases {
                outcomes[provider, default: [:]][outcome] = metrics.counter(
                    "paycast_events_total",
                    help: "Events by provider and outcome.",
                    labels: ["provider": provider.rawValue, "outcome": outcome.rawValue]
                )
            }
        }
        self.outcomes = outcomes
    }

    func count(_ outcome: Outcome, of provider: Provider) {
        outcomes[provider]?[outcome]?.add()
    }
}
