internal import Domain
internal import Support

/// What happened to messages, since this server's start.
struct HookCounts: Sendable {
    private let delivered, failures, abandoned: Counter

    init(_ metrics: Metrics) {
        delivered = metrics.counter(
            "paycast_hooks_delivered_total",
            help: "Messages that the app's backend has accepted."
        )
        failures = metrics.counter(
            "paycast_hook_failures_total",
            help: "Attempts to send the app's backend a message that have failed."
        )
        abandoned = metrics.counter(
            "paycast_hooks_abandoned_total",
            help: "Messages that were given up after their last attempt."
        )
    }

    func count(_ result: HookResult) {
        if result == .accepted { delivered.add() } else { failures.add() }
        if case .failed = result { abandoned.add() }
    }

    func show(_ runner: HookRunner?, in metrics: Metrics) {
        let backlog: @Sendable () -> (waiting: Int, oldest: Int, failing: Int) = { [weak runner] in
            runner?.backlog ?? (0, 0, 0)
        }
        metrics.gauge("paycast_hooks_waiting", help: "Messages that the app's backend is still to get.") {
            backlog().waiting
        }
        metrics.gauge(
            "paycast_hook_oldest_seconds",
            help: "How long the oldest of them has waited; 0 when none waits."
        ) { backlog().oldest }
        metrics.gauge(
            "paycast_hook_addresses_failing",
            help: "Addresses that have failed for over an hour, or have answered 410."
        ) { backlog().failing }
    }
}
