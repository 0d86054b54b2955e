public import Concurrency

/// What this node tells the others, on its way to the thread that sends it. Any thread may send.
public final class NodeMessageQueue: Sendable {
    private struct State {
        var messages = OutgoingMessages()
        var isClosed = false
    }

    private let state = Monitor(State())
    /// Nil when the process had no descriptor left; then sending takes up to a second.
    public let waker = EventDescriptor()

    public init() {}

    /// Returns false when too much waits, or the message is too large. What is vital waits for as long as it must.
    public func send(_ body: [UInt8], isVital: Bool = false) -> Bool {
        let now = monotonicNanoseconds()
        let isTaken = state.withLock { $0.messages.add(body, isVital: isVital, now: now) }
        if isTaken { waker?.wake() }
        return isTaken
    }

    /// What may be sent now.
    public func take() -> [[UInt8]] {
        let now = monotonicNanoseconds()
        return state.withLock { $0.messages.take(now: now) }
    }

    /// What must be sent although the queue is closed.
    public func takeVital() -> [[UInt8]] {
        state.withLock { $0.messages.takeVital() }
    }

    /// What was taken last could not be sent: what is vital of it waits again.
    public func putBack() {
        state.withLock { $0.messages.putBack() }
    }

    /// How long until something may be sent; nil when nothing waits.
    public var delay: Duration? {
        let now = monotonicNanoseconds()
        return state.withLock { $0.messages.delay(now: now) }.map { .nanoseconds(Int64(clamping: $0)) }
    }

    public func close() {
        state.change { $0.isClosed = true }
        waker?.wake()
    }

    /// Sleeps for `timeout`, or until it is closed.
    public func waitUntilClosed(timeout: Duration) {
        state.wait(timeout: timeout) { $0.isClosed ? () : nil }
    }

    public var isClosed: Bool { state.withLock { $0.isClosed } }
}
