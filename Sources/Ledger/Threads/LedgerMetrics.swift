import Domain
import Support

/// The writer's metrics.
struct LedgerMetrics: Sendable {
    let commitTime: Histogram
    let batchSize, queueDepth, unclaimed: Gauge
    let commands, failures: Counter
    private let outcomes: [Provider: [Outcome: Counter]]

    init(_ metrics: Metrics, providers: [Provider]) {
        commitTime = metrics.histogram(.commit)
        batchSize = metrics.gauge(.ledgerBatchSize)
        commands = metrics.counter(.ledgerCommands)
        failures = metrics.counter(.commitFailures)
        queueDepth = metrics.gauge(.ledgerQueueDepth)
        unclaimed = metrics.gauge(.unclaimedContracts)
        var outcomes: [Provider: [Outcome: Counter]] = [:]
        for provider in providers {
            for outcome in Outcome.allCases {
                outcomes[provider, default: [:]][outcome] = metrics.counter(
                    .events,
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
