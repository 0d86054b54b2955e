import Pages
import Support

/// The counters of the loops, shared by all of them.
final class GatewayMetrics: Sendable {
    let connections, streams, http2Connections, http2Streams: Gauge
    private let eventStreams, webSockets, feeds, cables: Gauge
    let unheard, deliveries, catchUps, catchUpMessages, collapsed, slow, expired: Counter
    private let published: Counter
    /// The bytes of what was published, for the watcher as well.
    let publishedBytes = Counter()
    /// Connections beyond a limit: closed at once, or answered first.
    let refused, turnedAway: Counter
    /// Connections that have ended, for the watcher, which returns the memory that they leave behind.
    let ended = Counter()
    /// Silent connections that were closed to make room for others.
    let madeRoom: Counter
    /// Cable commands, and the outcomes of those that were not served.
    let commands, rejected, refusedFrames, abusive: Counter
    private let answered: [Counter]
    private let headers, bodies, idle, writes: Counter
    /// HTTP/2 clients that were ended because of what they sent.
    let http2Abusive: Counter

    init(_ metrics: Metrics) {
        connections = metrics.gauge(.connections)
        streams = metrics.gauge(.streams)
        published = metrics.counter(.published)
        unheard = metrics.counter(.unheard)
        deliveries = metrics.counter(.deliveries)
        catchUps = metrics.counter(.replayed)
        catchUpMessages = metrics.counter(.replayedMessages)
        collapsed = metrics.counter(.collapsed)
        slow = metrics.counter(.slowClosed)
        refused = metrics.counter(.connectionsRefused, labels: ["answer": "none"])
        turnedAway = metrics.counter(.connectionsRefused, labels: ["answer": "retry"])
        madeRoom = metrics.counter(.connectionsEvicted)
        eventStreams = metrics.gauge(.pages, labels: ["transport": Transport.eventStream.word])
        webSockets = metrics.gauge(.pages, labels: ["transport": Transport.webSocket.word])
        feeds = metrics.gauge(.pages, labels: ["transport": Transport.feed.word])
        cables = metrics.gauge(.pages, labels: ["transport": Transport.cable.word])
        commands = metrics.counter(.cableCommands)
        rejected = metrics.counter(.cableRejected)
        refusedFrames = metrics.counter(.cableRefusedFrames)
        abusive = metrics.counter(.cableAbusive)
        expired = metrics.counter(.expired)
        answered = (1...5).map { metrics.counter(.responses, labels: ["class": "\($0)xx"]) }
        let overdue = { metrics.counter(.overdueClosed, labels: ["deadline": $0]) }
        headers = overdue("header")
        bodies = overdue("body")
        idle = overdue("idle")
        writes = overdue("write")
        http2Connections = metrics.gauge(.http2Connections)
        http2Streams = metrics.gauge(.http2Streams)
        http2Abusive = metrics.counter(.http2Abusive)
        exposeToAnyCable(metrics)
    }

    private func exposeToAnyCable(_ metrics: Metrics) {
        let (sse, webSockets, cables, slow, published) = (eventStreams, webSockets, cables, slow, published)
        metrics.gauge(.anyCableClients) { sse.value + webSockets.value + cables.value }
        metrics.gauge(.anyCableEventStreams) { sse.value }
        metrics.counter(.anyCableBroadcasts) { published.value }
        metrics.counter(.anyCableSlowClients) { slow.value }
    }

    func countPublished(_ messages: [Message]) {
        published.add(messages.count)
        publishedBytes.add(messages.reduce(0) { $0 + $1.cost })
    }

    func pages(_ transport: Transport) -> Gauge {
        switch transport {
        case .eventStream: eventStreams
        case .webSocket: webSockets
        case .feed: feeds
        case .cable, .extendedCable: cables
        }
    }

    func responses(_ status: Int) -> Counter { answered[min(max(status / 100, 1), 5) - 1] }

    /// The counter for a deadline that an HTTP/2 client missed.
    func overdue(_ occupation: HTTP2Connection.Occupation) -> Counter {
        switch occupation {
        case .beginning: headers
        case .idle, .serving: idle
        case .writing: writes
        }
    }

    /// The counter for the deadline that a connection missed.
    func overdue(_ connection: Connection) -> Counter {
        switch connection.phase {
        case .sending, .closing, .lingering: writes
        case .reading where connection.link.isBehind: writes
        case .reading where connection.expected != nil: bodies
        case .reading where connection.answers > 0: idle
        default: headers
        }
    }
}
