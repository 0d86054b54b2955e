internal import Hub
internal import Observability

/// Adds what this loop's hub counts to what all loops share. Runs once per tick, so that a publish costs nothing more.
extension SocketLoop {
    func report() {
        let (collapsed, streams) = (hub.tally.collapsed, hub.streamCount)
        metrics.collapsed.add(collapsed - reported.collapsed)
        metrics.streams.add(streams - reported.streams)
        reported = (collapsed, streams)
    }
}
