import Domain
public import Support
import Synchronization

/// The time that a webhook takes from its first byte to the commit, and to the pages.
public final class WebhookTelemetry: Sendable {
    private let verified: Histogram
    private let committed: Histogram
    private let written: Histogram
    /// Pages that were told to reload: their name had expired, or their cursor was no longer valid.
    let healed: Counter
    /// Arrival times of the events that wait for their commit; at most as many as the writer's queue holds.
    private let underWay = Mutex<[String: UInt64]>([:])
    /// The steps of the newest events.
    public let timings = EventTimings()

    public init(_ metrics: Metrics) {
        verified = metrics.histogram(.webhookVerified)
        committed = metrics.histogram(.webhookCommitted)
        written = metrics.histogram(.webhookWritten)
        healed = metrics.counter(.healed)
    }

    /// An event is verified. Its effects are traced until `answered` or `dropped`.
    func verified(_ event: String, receivedAt start: UInt64) {
        verified.record(nanoseconds: monotonicNanoseconds() - start)
        underWay.withLock { $0[event] = start }
        timings.verified(event, receivedAt: start)
    }

    /// The ledger has answered; `outcome` is nil if it did not commit the event. Only what it committed counts in the
    /// histogram.
    func answered(_ event: String, outcome: Outcome?, receivedAt start: UInt64) {
        if outcome != nil { committed.record(nanoseconds: monotonicNanoseconds() - start) }
        if outcome == .duplicate { timings.repeated(event) }
        dropped(event)
    }

    func dropped(_ event: String) { _ = underWay.withLock { $0.removeValue(forKey: event) } }

    /// All loops have written its messages to pages of theirs, `pages` in all.
    public func written(_ event: String, receivedAt start: UInt64, pages: Int, first: UInt64, last: UInt64) {
        written.record(nanoseconds: last - start)
        timings.written(event, pages: pages, first: first, last: last)
    }

    /// The arrival of the webhook whose event is being committed, in monotonic nanoseconds.
    public func receivedAt(_ event: String?) -> UInt64? {
        guard let event else { return nil }
        return underWay.withLock { $0[event] }
    }
}
