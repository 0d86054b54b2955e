internal import Support
internal import Synchronization

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
