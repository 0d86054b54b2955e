public import Domain
public import Support
import Synchronization

/// The time that a webhook takes from its first byte to the commit, and to the pages.
public final class WebhookTelemetry: Sendable {
    private let verified: Histogram
    private let committed: Histogram
    private let written: Histogram
    /// Pages that were told to reload: their name had expired, or their cursor was no longer valid.
    let healed: Counter
    /// Arrival times of the events that wait for their commit, or for the loops: behind PostgreSQL, another thread than the one
    /// that commits hands them over, and later.
    private let underWay = Mutex<[EventKey: MonotonicTime]>([:])
    /// More than wait for both. An event whose entry does not name it, because its user was erased, stays until then.
    static let limit = 20_000
    /// The steps of the newest events.
    public let timings = EventTimings()

    public init(_ metrics: Metrics) {
        verified = metrics.histogram(.webhookVerified)
        committed = metrics.histogram(.webhookCommitted)
        written = metrics.histogram(.webhookWritten)
        healed = metrics.counter(.healed)
    }

    /// An event is verified. Its effects are traced until `published`, unless nothing comes of it.
    func verified(_ event: EventKey, receivedAt start: MonotonicTime) {
        verified.record(nanoseconds: monotonicNanoseconds() - start)
        underWay.withLock { underWay in
            if underWay.count >= WebhookTelemetry.limit { underWay = [:] }
            underWay[event] = start
        }
        timings.verified(event, receivedAt: start)
    }

    /// The ledger has answered; `outcome` is nil if it did not commit the event. Only what it committed counts in the
    /// histogram. A duplicate has no entry of its own.
    func answered(_ event: EventKey, outcome: Outcome?, receivedAt start: MonotonicTime) {
        guard let outcome else { return dropped(event) }
        let now = monotonicNanoseconds()
        committed.record(nanoseconds: now - start)
        guard outcome == .duplicate else { return timings.committed(event, at: now) }
        timings.repeated(event)
        dropped(event)
    }

    /// The loops have the entries of these events, whoever committed them.
    public func published(_ events: [EventKey]) {
        guard !events.isEmpty else { return }
        underWay.withLock { underWay in for event in events { underWay[event] = nil } }
    }

    /// Nothing comes of it.
    func dropped(_ event: EventKey) { _ = underWay.withLock { $0.removeValue(forKey: event) } }

    /// All loops have written its messages to pages of theirs, `pages` in all.
    public func written(
        _ event: EventKey,
        receivedAt start: MonotonicTime,
        pages: Int,
        first: MonotonicTime,
        last: MonotonicTime
    ) {
        written.record(nanoseconds: last - start)
        timings.written(event, pages: pages, first: first, last: last)
    }

    /// The arrival of the webhook whose event is being committed, or handed to the loops.
    public func receivedAt(_ event: EventKey) -> MonotonicTime? { underWay.withLock { $0[event] } }
}

/// The way of the newest events through this server, in times, and how often a store repeated each.
public final class EventTimings: Sendable {
    /// Nil before the stage has ended.
    public struct Timing: Sendable {
        public var received: MonotonicTime
        public var verified: MonotonicTime
        public var committed: MonotonicTime?
        public var rendered: MonotonicTime?
        /// The first and the last loop have written it to their pages.
        public var firstPage: MonotonicTime?
        public var lastPage: MonotonicTime?
        /// The open pages of this node that got it at once.
        public var pages = 0
        /// How often it came again.
        public var duplicates = 0
    }

    static let limit = 1000

    private struct Newest {
        var timings: [EventKey: Timing] = [:]
        /// A new one takes the place of the oldest.
        var events: [EventKey] = []
        var oldest = 0
    }

    private let newest = Mutex(Newest())

    public init() {}

    /// May be called on any thread.
    public subscript(event: EventKey) -> Timing? { newest.withLock { $0.timings[event] } }

    /// A retry starts over, unless the event was committed.
    func verified(_ event: EventKey, receivedAt start: MonotonicTime) {
        let timing = Timing(received: start, verified: monotonicNanoseconds())
        newest.withLock { newest in
            if let known = newest.timings[event] {
                if known.committed == nil, known.duplicates == 0 { newest.timings[event] = timing }
                return
            }
            newest.timings[event] = timing
            guard newest.events.count == EventTimings.limit else { return newest.events.append(event) }
            newest.timings[newest.events[newest.oldest]] = nil
            newest.events[newest.oldest] = event
            newest.oldest = (newest.oldest + 1) % EventTimings.limit
        }
    }

    func repeated(_ event: EventKey) { newest.withLock { $0.timings[event]?.duplicates += 1 } }

    /// Whoever knows it first says it: who published it, or who has answered. Does nothing for an event that this node has
    /// not received.
    func committed(_ event: EventKey, at time: MonotonicTime) {
        newest.withLock { newest in
            guard newest.timings[event]?.committed == nil else { return }
            newest.timings[event]?.committed = time
        }
    }

    /// Does nothing for an event that this node has not received.
    public func published(_ event: EventKey, committedAt committed: MonotonicTime, renderedAt rendered: MonotonicTime) {
        self.committed(event, at: committed)
        newest.withLock { $0.timings[event]?.rendered = rendered }
    }

    func written(_ event: EventKey, pages: Int, first: MonotonicTime, last: MonotonicTime) {
        newest.withLock { newest in
            newest.timings[event]?.pages = pages
            newest.timings[event]?.firstPage = first
            newest.timings[event]?.lastPage = last
        }
    }
}
