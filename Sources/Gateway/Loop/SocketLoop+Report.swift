internal import Hub
internal import Observability

/// What this loop's hub counts, added to what all loops share. Per tick, so that a publish costs nothing more.
extension SocketLoop {
    func report() {
        let (collapsed, streams) = (hub.tally.collapsed, hub.streamCount)
        metrics.collapsed.add(collapsed - reported.collapsed)
        metrics.streams.add(streams - reported.streams)
        reported = (collapsed, streams)
    }
}
