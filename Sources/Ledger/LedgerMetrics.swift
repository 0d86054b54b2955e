internal import Domain
internal import Observability

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
        commitTime = metrics.histogram("paycast_ledger_commit_seconds", "From BEGIN to the end of COMMIT.")
        batchSize = metrics.gauge("paycast_ledger_batch_size", "Commands of the last transaction.")
        commands = metrics.counter("paycast_ledger_commands_total", "Commands that were committed.")
        failures = metrics.counter("paycast_ledger_commit_failures_total", "Transactions that were rolled back.")
        queueDepth = metrics.gauge("paycast_ledger_queue_depth", "Commands that waited for the last transaction.")
        unclaimed = metrics.gauge("paycast_unclaimed_contracts", "Contracts whose user is not known.")
        var outcomes: [Provider: [Outcome: Counter]] = [:]
        for provider in providers {
            for outcome in Outcome.allCases {
                outcomes[provider, default: [:]][outcome] = metrics.counter(
                    "paycast_events_total",
                    "Events by provider and outcome.",
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
