internal import Runtime

/// What the loops count, shared by all of them.
final class GatewayMetrics: Sendable {
    let connections: Gauge
    let deliveries: Counter
    let replayed: Counter
    let slow: Counter
    private let eventStreams: Gauge
    private let webSockets: Gauge
    private let feeds: Gauge
    private let cables: Gauge
    /// Cable commands, and what became of those that were not served.
    let commands: Counter
    let rejected: Counter
    let refusedFrames: Counter
    let abusive: Counter
    let expired: Counter
    private let answered: [Counter]

    init(_ metrics: Metrics) {
        connections = metrics.gauge("paycast_connections", "Open connections.")
        deliveries = metrics.counter("paycast_deliveries_total", "Frames written to pages.")
        replayed = metrics.counter("paycast_replayed_total", "Pages that were sent what they had missed.")
        slow = metrics.counter("paycast_slow_closed_total", "Pages closed because they took too little too late.")
        let help = "Pages connected now, by transport."
        eventStreams = metrics.gauge("paycast_pages", help, labels: ["transport": "sse"])
        webSockets = metrics.gauge("paycast_pages", help, labels: ["transport": "websocket"])
        feeds = metrics.gauge("paycast_pages", help, labels: ["transport": "feed"])
        cables = metrics.gauge("paycast_pages", help, labels: ["transport": "cable"])
        commands = metrics.counter("paycast_cable_commands_total", "Commands of Action Cable clients.")
        rejected = metrics.counter("paycast_cable_rejected_total", "Subscriptions with a name that is none of ours.")
        refusedFrames = metrics.counter("paycast_cable_refused_frames_total", "Commands too long, or no text.")
        abusive = metrics.counter("paycast_cable_abusive_total", "Clients ended for too many commands.")
        expired = metrics.counter("paycast_expired_total", "Pages told to load again because their name had ended.")
        answered = (1...5).map {
            metrics.counter("paycast_http_responses_total", "HTTP answers, by class.", labels: ["class": "\($0)xx"])
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
}
