internal import Pages
internal import Support

/// The counters of the loops, shared by all of them.
final class GatewayMetrics: Sendable {
    let connections: Gauge
    let streams: Gauge
    let published: Counter
    let unheard: Counter
    let deliveries: Counter
    let written: Histogram
    let catchUps: Counter
    let catchUpMessages: Counter
    let collapsed: Counter
    let slow: Counter
    /// Connections beyond a limit: closed at once, or answered first.
    let refused: Counter
    let turnedAway: Counter
    /// Connections that have ended, for the watcher, which returns the memory that they leave behind.
    let ended = Counter()
    /// Silent connections that were closed to make room for others.
    let madeRoom: Counter
    private let eventStreams: Gauge
    private let webSockets: Gauge
    private let feeds: Gauge
    private let cables: Gauge
    /// Cable commands, and the outcomes of those that were not served.
    let commands: Counter
    let rejected: Counter
    let refusedFrames: Counter
    let abusive: Counter
    let expired: Counter
    private let answered: [Counter]
    private let headers: Counter
    private let bodies: Counter
    private let idle: Counter
    private let writes: Counter
    let http2Connections: Gauge
    let http2Streams: Gauge
    /// HTTP/2 clients that were ended because of what they sent.
    let http2Abusive: Counter

    init(_ metrics: Metrics) {
        connections = metrics.gauge("paycast_connections", help: "Open connections.")
        streams = metrics.gauge("paycast_streams", help: "Streams that pages follow, summed over the loops.")
        published = metrics.counter("paycast_published_total", help: "Messages published, committed or transient.")
        unheard = metrics.counter(
            "paycast_unheard_total",
            help: "Commits with something to show while no page followed."
        )
        deliveries = metrics.counter("paycast_deliveries_total", help: "Frames written to pages.")
        written = metrics.histogram(
            "paycast_webhook_written_seconds",
            help: "From reception to the last page's socket; without those that nobody followed."
        )
        catchUps = metrics.counter("paycast_replayed_total", help: "Pages that were sent what they had missed.")
        catchUpMessages = metrics.counter("paycast_replayed_messages_total", help: "Messages sent to these pages.")
        collapsed = metrics.counter(
            "paycast_collapsed_total",
            help: "Fragments that a newer one replaced in a slow page's queue."
        )
        slow = metrics.counter("paycast_slow_closed_total", help: "Pages closed because they stopped reading.")
        let refusals = "Connections beyond a limit, by how they ended."
        refused = metrics.counter("paycast_connections_refused_total", help: refusals, labels: ["answer": "none"])
        turnedAway = metrics.counter("paycast_connections_refused_total", help: refusals, labels: ["answer": "retry"])
        madeRoom = metrics.counter(
            "paycast_connections_evicted_total",
            help: "Connections without a whole request that were closed for others when all places were taken."
        )
        let help = "Pages connected now, by transport."
        eventStreams = metrics.gauge("paycast_pages", help: help, labels: ["transport": "sse"])
        webSockets = metrics.gauge("paycast_pages", help: help, labels: ["transport": "websocket"])
        feeds = metrics.gauge("paycast_pages", help: help, labels: ["transport": "feed"])
        cables = metrics.gauge("paycast_pages", help: help, labels: ["transport": "cable"])
        commands = metrics.counter("paycast_cable_commands_total", help: "Commands of Action Cable clients.")
        rejected = metrics.counter("paycast_cable_rejected_total", help: "Subscriptions whose name no key vouches for.")
        refusedFrames = metrics.counter(
            "paycast_cable_refused_frames_total",
            help: "Action Cable clients ended for a frame that was too long, no text, or against RFC 6455."
        )
        abusive = metrics.counter("paycast_cable_abusive_total", help: "Clients ended for too many commands.")
        expired = metrics.counter(
            "paycast_expired_total",
            help: "Pages told to load again because their name had ended."
        )
        answered = (1...5).map {
            metrics.counter(
                "paycast_http_responses_total",
                help: "HTTP answers, by class.",
                labels: ["class": "\($0)xx"]
            )
        }
        let overdue = {
            metrics.counter(
                "paycast_overdue_closed_total",
                help: "Connections closed at a deadline, without slow pages.",
                labels: $0
            )
        }
        headers = overdue(["deadline": "header"])
        bodies = overdue(["deadline": "body"])
        idle = overdue(["deadline": "idle"])
        writes = overdue(["deadline": "write"])
        http2Connections = metrics.gauge("paycast_http2_connections", help: "Open connections that speak HTTP/2.")
        http2Streams = metrics.gauge(
            "paycast_http2_streams",
            help: "Requests and pages on them, each a connection too."
        )
        http2Abusive = metrics.counter(
            "paycast_http2_abusive_total",
            help: "Clients of HTTP/2 ended for what they sent."
        )
        exposeToAnyCable(metrics)
    }

    /// Also uses AnyCable's names where the meaning is the same, so that its dashboards keep working
    /// (https://docs.anycable.io/anycable-go/instrumentation).
    private func exposeToAnyCable(_ metrics: Metrics) {
        let (sse, webSockets, cables, slow, published) = (eventStreams, webSockets, cables, slow, published)
        metrics.gauge("anycable_go_clients_num", help: "The number of active clients") {
            sse.value + webSockets.value + cables.value
        }
        metrics.gauge("anycable_go_sse_clients_num", help: "The number of active SSE clients") { sse.value }
        metrics.counter("anycable_go_broadcast_msg_total", help: "The total number of messages received for broadcast")
        {
            published.value
        }
        metrics.counter("anycable_go_disconnected_slow_clients_total", help: "The number of slow clients disconnected")
        {
            slow.value
        }
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
    func overdue(_ occupation: IdlePolicy.Occupation) -> Counter {
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
