public import Domain
public import Pages
internal import Support

/// The messages of one commit, or of one transient broadcast, for the pages of a loop.
public struct Publication: Sendable {
    /// For developers' feeds; nil for a transient broadcast, which is no event.
    var entry: Entry?
    var messages: [Message]
    /// The arrival of the webhook that caused it, in monotonic nanoseconds.
    private var receivedAt: UInt64?
    /// Tracks a committed publication until all loops have written it.
    private(set) var delivery: DeliveryTracker?

    /// Renders an entry's fragments for each stream, once for all loops and pages.
    public init(_ entry: Entry, renderer: TemplateRenderer, receivedAt: UInt64? = nil) {
        self.entry = entry
        self.receivedAt = receivedAt
        var streams: [StreamName] = []
        for fragment in entry.fragments where !streams.contains(fragment.stream) { streams.append(fragment.stream) }
        messages = streams.map { stream in
            let fragments = entry.fragments.filter { $0.stream == stream }
            return Message(position: entry.position, fragments: fragments, on: stream, renderer: renderer)
        }
    }

    public init(transient messages: [Message]) {
        self.messages = messages
    }

    /// Counts the publication, and tracks a committed one until the last loop has written it.
    mutating func depart(to loops: Int, metrics: GatewayMetrics) {
        metrics.published.add(messages.count)
        guard entry != nil, !messages.isEmpty else { return }
        delivery = DeliveryTracker(receivedAt: receivedAt, loops: loops, metrics: metrics)
    }
}
