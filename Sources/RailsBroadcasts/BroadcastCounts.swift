public import Observability

/// The counts that every listener has, each under its own name.
public struct BroadcastCounts: Sendable {
    let messages: Counter
    let lost: Counter
    private let ignored: [RailsBroadcast.Refusal: Counter]

    /// `name` begins the metrics' names: `paycast_redis`. `source` is what delivers, as their help calls it.
    public init(_ metrics: Metrics, name: String, source: String) {
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
