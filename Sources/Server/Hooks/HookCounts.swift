import Domain
import Support

/// What happened to messages, since this server's start.
struct HookCounts: Sendable {
    private let delivered, failures, abandoned: Counter

    init(_ metrics: Metrics) {
        delivered = metrics.counter(.hooksDelivered)
        failures = metrics.counter(.hookFailures)
        abandoned = metrics.counter(.hooksAbandoned)
    }

    func count(_ result: HookResult) {
        if result == .accepted { delivered.add() } else { failures.add() }
        if case .failed = result { abandoned.add() }
    }

    func show(_ runner: HookRunner?, in metrics: Metrics) {
        let backlog: @Sendable () -> (waiting: Int, oldest: Int, failing: Int) = { [weak runner] in
            runner?.backlog ?? (0, 0, 0)
        }
        metrics.gauge(.hooksWaiting) { backlog().waiting }
        metrics.gauge(.hookOldest) { backlog().oldest }
        metrics.gauge(.hookAddressesFailing) { backlog().failing }
    }
}
