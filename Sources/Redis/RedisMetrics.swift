internal import Observability

/// The listener's metrics.
struct RedisMetrics: Sendable {
    let connected: Gauge
    let messages: Counter
    let outages: Counter
    let lost: Counter
    private let ignored: [RailsBroadcast.Refusal: Counter]

    init(_ metrics: Metrics) {
        connected = metrics.gauge("paycast_redis_connected", help: "1 while heartbeats through Redis come back.")
        messages = metrics.counter("paycast_redis_messages_total", help: "Broadcasts for pages that Redis delivered.")
        outages = metrics.counter("paycast_redis_outages_total", help: "Times when broadcasts may have been lost.")
        lost = metrics.counter("paycast_redis_lost_total", help: "Broadcasts that the ledger refused for good.")
        ignored = Dictionary(
            uniqueKeysWithValues: RailsBroadcast.Refusal.allCases.map { reason in
                let counter = metrics.counter(
                    "paycast_redis_ignored_total",
                    help: "Messages that are not for pages, by what is wrong with them.",
                    labels: ["reason": reason.rawValue]
                )
                return (reason, counter)
            }
        )
    }

    func ignore(_ reason: RailsBroadcast.Refusal) {
        ignored[reason]?.add()
    }
}
