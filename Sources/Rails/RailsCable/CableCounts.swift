internal import Support

/// The metrics that other listeners do not have.
struct CableCounts: Sendable {
    let gaps: Counter
    let late: Counter
    let streams: Gauge
    let givenUp: Counter

    init(_ metrics: Metrics) {
        let name = "paycast_rails_cable"
        gaps = metrics.counter("\(name)_gaps_total", help: "Times when broadcasts may have been lost.")
        late = metrics.counter("\(name)_late_total", help: "Broadcasts that became visible after newer ones.")
        streams = metrics.gauge("\(name)_streams", help: "Streams that are listened to, of the adapter postgresql.")
        givenUp = metrics.counter("\(name)_streams_given_up_total", help: "Streams that made room for others.")
    }
}
