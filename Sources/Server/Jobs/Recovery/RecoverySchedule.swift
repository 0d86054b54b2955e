import Domain
import Stores
import Support

/// Decides when to ask for the history, from which time on, and whether for all of it. Pure.
struct RecoverySchedule {
    static let interval = Duration.seconds(3600)
    /// Covers events that the store was still trying to deliver, or had not recorded yet, at the last run.
    static let overlap = Duration.seconds(7200)
    /// On the first start there is no last run; a day covers the setup.
    static let firstReach = Duration.seconds(86_400)

    private var failures = 0
    /// The first run asks for everything, because a ledger restored from a backup lacks what the store had delivered to
    /// it. Later runs ask only for what was not delivered. After a failure, the next run asks for everything again:
    /// only beside delivered entries can it be seen whether the settings refuse everything or one entry is odd.
    private(set) var onlyFailures = false

    static func start(mark: Instant?, now: Instant) -> Instant {
        guard let mark else { return now - firstReach }
        // A clock that was set back must not make the span empty.
        return min(mark, now) - overlap
    }

    /// The time to wait until the next run.
    mutating func pause(afterFailure isFailure: Bool, jitter: Double) -> Duration {
        onlyFailures = !isFailure
        guard isFailure else {
            failures = 0
            return RecoverySchedule.interval
        }
        failures += 1
        return JobBackoff(first: .seconds(30), most: RecoverySchedule.interval).delay(after: failures, jitter: jitter)
    }
}

/// The metrics of recoveries.
struct RecoveryCounts: Sendable {
    let recovered: Counter
    let refused: Counter
    private let succeeded: [Provider: Gauge]

    /// `providers` are the stores whose history is read.
    init(_ metrics: Metrics, of providers: [Provider]) {
        recovered = metrics.counter(.recovered)
        refused = metrics.counter(.recoveryRefused)
        succeeded = Dictionary(
            uniqueKeysWithValues: providers.map { provider in
                (provider, metrics.gauge(.recoverySucceeded, labels: ["provider": provider.rawValue]))
            }
        )
    }

    /// Call it after each run; `what` is the message for the log.
    func ended(_ report: RecoveryReport, of provider: Provider, message what: StaticString, log: Log) {
        if report.problems.isEmpty { succeeded[provider]?.set(Int(Clock().now().seconds)) }
        recovered.add(report.recovered)
        guard report.found > 0 else { return }
        log.info(what, fields: ["found": report.found, "recovered": report.recovered, "refused": report.refused])
    }
}
