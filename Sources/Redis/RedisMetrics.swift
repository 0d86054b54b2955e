internal import Observability
internal import RailsBroadcasts

/// The listener's metrics.
struct RedisMetrics: Sendable {
    let connected: Gauge
    let outages: Counter
    let broadcasts: BroadcastCounts

    init(_ metrics: Metrics) {
        connected = metrics.gauge("paycast_redis_connected", help: "1 while heartbeats through Redis come back.")
        outages = metrics.counter("paycast_redis_outages_total", help: "Times when broadcasts may have been lost.")
        broadcasts = BroadcastCounts(metrics, name: "paycast_redis", source: "Redis")
    }
}
