internal import Observability
internal import RailsBroadcasts

/// The listener's metrics.
struct CableMetrics: Sendable {
    let connected: Gauge
    let outages: Counter
    let gaps: Counter
    let late: Counter
    let broadcasts: BroadcastCounts

    init(_ metrics: Metrics) {
        let name = "paycast_rails_cable"
        connected = metrics.gauge("\(name)_connected", help: "1 while the app's cable database is read.")
        outages = metrics.counter("\(name)_outages_total", help: "Times when it could not be read.")
        gaps = metrics.counter("\(name)_gaps_total", help: "Times when broadcasts may have been lost.")
        late = metrics.counter("\(name)_late_total", help: "Broadcasts that became visible after newer ones.")
        broadcasts = BroadcastCounts(metrics, name: name, source: "the cable database")
    }
}
