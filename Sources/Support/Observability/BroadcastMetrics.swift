/// The metrics that every listener to a Rails app's broadcasts has, each under its own names.
public struct BroadcastMetrics: Sendable {
    public let connected: GaugeMetric
    public let outages, messages, lost, ignored: CounterMetric

    /// `name` begins their names; `source` is what delivers; `connected` and `outages` are the help of these two.
    private init(_ name: String, source: String, connected: String, outages: String) {
        self.connected = GaugeMetric("\(name)_connected", connected)
        self.outages = CounterMetric("\(name)_outages_total", outages)
        messages = CounterMetric("\(name)_messages_total", "Broadcasts for pages that \(source) delivered.")
        lost = CounterMetric("\(name)_lost_total", "Broadcasts that the ledger refused for good.")
        ignored = CounterMetric(
            "\(name)_ignored_total",
            "Messages that are not for pages, by what is wrong with them.",
            labels: ["reason"]
        )
    }

    public static let redis = BroadcastMetrics(
        "paycast_redis",
        source: "Redis",
        connected: "1 while heartbeats through Redis come back.",
        outages: "Times when broadcasts may have been lost."
    )
    public static let railsCable = BroadcastMetrics(
        "paycast_rails_cable",
        source: "the cable database",
        connected: "1 while the app's cable database is read or listened to.",
        outages: "Times when it could not be."
    )
}
