public import Support

/// The metrics that every listener has, each under its own name.
public struct BroadcastCounts: Sendable {
    let connected: Gauge
    let outages: Counter
    let messages: Counter
    let lost: Counter
    private let ignored: [RailsBroadcast.Refusal: Counter]

    /// `name` begins the metrics' names: `paycast_redis`. `source` is what delivers, as their help calls it; `connected`
    /// and `outages` are the help of these two.
    public init(_ metrics: Metrics, name: String, source: String, connected: String, outages: String) {
        self.connected = metrics.gauge("\(name)_connected", help: connected)
        self.outages = metrics.counter("\(name)_outages_total", help: outages)
        messages = metrics.counter("\(name)_messages_total", help: "Broadcasts for pages that \(source) delivered.")
        lost = metrics.counter("\(name)_lost_total", help: "Broadcasts that the ledger refused for good.")
        ignored = Dictionary(
            uniqueKeysWithValues: RailsBroadcast.Refusal.allCases.map { reason in
                let counter = metrics.counter(
                    "\(name)_ignored_total",
                    help: "Messages that are not for pages, by what is wrong with them.",
                    labels: ["reason": reason.rawValue]
                )
                return (reason, counter)
            }
        )
    }

    func ignore(_ reason: RailsBroadcast.Refusal) {
        ignored[reason]?.add()
    }
}
