internal import Pages
internal import Support

/// Adds the counts of one loop's hub to the shared ones. Runs once per tick, so that a publish costs nothing more.
struct HubMetrics {
    private var collapsed = 0
    private var streams = 0

    mutating func report(_ hub: Hub, to metrics: GatewayMetrics) {
        metrics.collapsed.add(hub.tally.collapsed - collapsed)
        metrics.streams.add(hub.streamCount - streams)
        collapsed = hub.tally.collapsed
        streams = hub.streamCount
    }
}
