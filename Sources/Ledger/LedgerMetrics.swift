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
    private let outcomes: [[Counter]]

    init(_ metrics: Metrics) {
        commitTime = metrics.histogram("paycast_ledger_commit_seconds", "From BEGIN to the end of COMMIT.")
        batchSize = metrics.gauge("paycast_ledger_batch_size", "Commands of the last transaction.")
        commands = metrics.counter("paycast_ledger_commands_total", "Commands that were committed.")
        failures = metrics.counter("paycast_ledger_commit_failures_total", "Transactions that were rolled back.")
        queueDepth = metrics.gauge("paycast_ledger_queue_depth", "Commands that waited for the last transaction.")
        unclaimed = metrics.gauge("paycast_unclaimed_contracts", "Contracts whose user is not known.")
        outcomes = Provider.allCases.map { provider in
            Outcome.allCases.map { outcome in
                metrics.counter(
                    "paycast_events_total",
                    "Events by provider and outcome.",
                    labels: ["provider": provider.rawValue, "outcome": outcome.rawValue]
                )
            }
        }
    }

    func count(_ outcome: Outcome, of provider: Provider) {
        guard let row = Provider.allCases.firstIndex(of: provider),
            let column = Outcome.allCases.firstIndex(of: outcome)
        else { return }
        outcomes[row][column].add()
    }
}
