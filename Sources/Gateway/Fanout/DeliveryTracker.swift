internal import Support
internal import Synchronization

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
