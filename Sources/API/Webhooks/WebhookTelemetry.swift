public import Support
internal import Synchronization

/// The time that a webhook takes from its first byte to the commit.
public final class WebhookTelemetry: Sendable {
    private let verified: Histogram
    private let committed: Histogram
    /// Pages that were told to reload: their name had expired, or their cursor was no longer valid.
    let healed: Counter
    /// Arrival times of the events that wait for their commit; at most as many as the writer's queue holds.
    private let underWay = Mutex<[String: UInt64]>([:])
    private let timings: DemoTimings?

    /// `timings` records the steps of each event, for developers.
    public init(_ metrics: Metrics, timings: DemoTimings? = nil) {
        self.timings = timings
        verified = metrics.histogram(.webhookVerified)
        committed = metrics.histogram(.webhookCommitted)
        healed = metrics.counter(.healed)
    }

    /// An event is verified. Its effects are traced until `answered` or `dropped`.
    func verified(_ event: String, receivedAt start: UInt64) {
        verified.record(nanoseconds: monotonicNanoseconds() - start)
        underWay.withLock { $0[event] = start }
        timings?.verified(event, receivedAt: start)
    }

    /// The ledger has answered. Only events that it committed count in the histogram.
    func answered(_ event: String, isCommitted: Bool, receivedAt start: UInt64) {
        if isCommitted {
            committed.record(nanoseconds: monotonicNanoseconds() - start)
            timings?.committed(event)
        }
        dropped(event)
    }

    func dropped(_ event: String) {
        _ = underWay.withLock { $0.removeValue(forKey: event) }
    }

    /// The arrival of the webhook whose event is being committed, in monotonic nanoseconds.
    public func receivedAt(_ event: String?) -> UInt64? {
        guard let event else { return nil }
        return underWay.withLock { $0[event] }
    }
}

/// The times at which the newest events were received, verified and committed. The demo page shows them for each event,
/// in development only.
public final class DemoTimings: Sendable {
    /// Monotonic nanoseconds.
    public struct Timing: Sendable {
        public var received: UInt64
        public var verified: UInt64
        public var committed: UInt64?
    }

    private static let limit = 200

    private struct Newest {
        var timings: [String: Timing] = [:]
        /// Event ids, oldest first.
        var order: [String] = []
    }

    private let newest = Mutex(Newest())

    public init() {}

    /// May be called on any thread.
    public subscript(event: String) -> Timing? { newest.withLock { $0.timings[event] } }

    /// A retry starts over.
    func verified(_ event: String, receivedAt start: UInt64) {
        let timing = Timing(received: start, verified: monotonicNanoseconds())
        newest.withLock { newest in
            if newest.timings.updateValue(timing, forKey: event) == nil { newest.order.append(event) }
            guard newest.order.count > DemoTimings.limit else { return }
            newest.timings[newest.order.removeFirst()] = nil
        }
    }

    func committed(_ event: String) {
        let now = monotonicNanoseconds()
        newest.withLock { $0.timings[event]?.committed = now }
    }
}
