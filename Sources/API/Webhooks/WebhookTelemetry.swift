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

/// The way of the newest events through this server, in times, and how often a store repeated each.
public final class EventTimings: Sendable {
    /// Monotonic nanoseconds; nil before the stage has ended.
    public struct Timing: Sendable {
        public var received: UInt64
        public var verified: UInt64
        public var committed: UInt64?
        public var rendered: UInt64?
        /// The first and the last loop have written it to their pages.
        public var firstPage: UInt64?
        public var lastPage: UInt64?
        /// The open pages of this node that got it at once.
        public var pages = 0
        /// How often it came again.
        public var duplicates = 0
    }

    static let limit = 1000

    private struct Newest {
        var timings: [String: Timing] = [:]
        /// Event ids; a new one takes the place of the oldest.
        var ids: [String] = []
        var oldest = 0
    }

    private let newest = Mutex(Newest())

    public init() {}

    /// May be called on any thread.
    public subscript(event: String) -> Timing? { newest.withLock { $0.timings[event] } }

    /// A retry starts over, unless the event was committed.
    func verified(_ event: String, receivedAt start: UInt64) {
        let timing = Timing(received: start, verified: monotonicNanoseconds())
        newest.withLock { newest in
            if let known = newest.timings[event] {
                if known.committed == nil, known.duplicates == 0 { newest.timings[event] = timing }
                return
            }
            newest.timings[event] = timing
            guard newest.ids.count == EventTimings.limit else { return newest.ids.append(event) }
            newest.timings[newest.ids[newest.oldest]] = nil
            newest.ids[newest.oldest] = event
            newest.oldest = (newest.oldest + 1) % EventTimings.limit
        }
    }

    func repeated(_ event: String) { newest.withLock { $0.timings[event]?.duplicates += 1 } }

    /// Does nothing for an event that this node has not received.
    public func published(_ event: String, committedAt committed: UInt64, renderedAt rendered: UInt64) {
        newest.withLock { newest in
            newest.timings[event]?.committed = committed
            newest.timings[event]?.rendered = rendered
        }
    }

    func written(_ event: String, pages: Int, first: UInt64, last: UInt64) {
        newest.withLock { newest in
            newest.timings[event]?.pages = pages
            newest.timings[event]?.firstPage = first
            newest.timings[event]?.lastPage = last
        }
    }
}
