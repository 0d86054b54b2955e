public import Domain
public import Pages
import Support
import Synchronization

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

/// A committed publication on its way to the pages of all loops; the slowest loop ends it.
final class DeliveryTracker: Sendable {
    private let receivedAt: UInt64?
    private let metrics: GatewayMetrics
    private let remaining: Atomic<Int>
    private let written = Atomic<Int>(0)

    init(receivedAt: UInt64?, loops: Int, metrics: GatewayMetrics) {
        self.receivedAt = receivedAt
        self.metrics = metrics
        remaining = Atomic(loops)
    }

    /// A loop has written it to `pages` pages. The kernel has it, or a queue for pages that are behind.
    func landed(_ pages: Int) {
        written.add(pages, ordering: .relaxed)
        guard remaining.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return }
        guard written.load(ordering: .relaxed) > 0 else { return metrics.unheard.add() }
        if let receivedAt { metrics.written.record(nanoseconds: monotonicNanoseconds() - receivedAt) }
    }
}
