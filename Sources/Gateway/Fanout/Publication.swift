public import Domain
public import Pages
public import Support
import Synchronization

/// The messages of one commit, or of one transient broadcast, for the pages of a loop.
public struct Publication: Sendable {
    /// For developers' feeds; nil for a transient broadcast, which is no event.
    var entry: Entry?
    var messages: [Message]
    /// Called once all loops have written it: with how many pages, and when the first and the last loop had.
    private var onWritten: Written?
    /// Tracks a committed publication until all loops have written it.
    private(set) var delivery: DeliveryTracker?

    /// Renders an entry's fragments for each stream, once for all loops and pages.
    public init(_ entry: Entry, renderer: TemplateRenderer, onWritten: Written? = nil) {
        self.entry = entry
        self.onWritten = onWritten
        var streams: [StreamName] = []
        for fragment in entry.fragments where !streams.contains(fragment.stream) { streams.append(fragment.stream) }
        messages = streams.map { stream in
            let fragments = entry.fragments.filter { $0.stream == stream }
            return Message(position: entry.position, fragments: fragments, on: stream, renderer: renderer)
        }
    }

    public typealias Written = @Sendable (_ pages: Int, _ first: MonotonicTime, _ last: MonotonicTime) -> Void

    public init(transient messages: [Message]) {
        self.messages = messages
    }

    /// Whether it drops what was published before for the same streams.
    var isErasure: Bool { entry?.notice.kind == .userErased }

    /// Counts the publication, and tracks a committed one until the last loop has written it.
    mutating func depart(to loops: Int, metrics: GatewayMetrics) {
        metrics.countPublished(messages)
        guard entry != nil, !messages.isEmpty else { return }
        delivery = DeliveryTracker(loops: loops, metrics: metrics, onWritten: onWritten)
    }
}

/// A committed publication on its way to the pages of all loops; the slowest loop ends it.
final class DeliveryTracker: Sendable {
    private let metrics: GatewayMetrics
    private let remaining: Atomic<Int>
    private let written = Atomic<Int>(0)
    /// 0 until a loop has written it to a page.
    private let first = Atomic<UInt64>(0)
    private let onWritten: Publication.Written?

    init(loops: Int, metrics: GatewayMetrics, onWritten: Publication.Written?) {
        self.onWritten = onWritten
        self.metrics = metrics
        remaining = Atomic(loops)
    }

    /// A loop has written it to `pages` pages. The kernel has it, or a queue for pages that are behind.
    func landed(_ pages: Int) {
        written.add(pages, ordering: .relaxed)
        let now = monotonicNanoseconds()
        if pages > 0 { _ = first.compareExchange(expected: 0, desired: now.nanoseconds, ordering: .relaxed) }
        guard remaining.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return }
        let pages = written.load(ordering: .relaxed)
        guard pages > 0 else { return metrics.unheard.add() }
        onWritten?(pages, MonotonicTime(nanoseconds: first.load(ordering: .relaxed)), now)
    }
}
