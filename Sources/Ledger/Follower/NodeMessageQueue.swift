import Support

/// This node's messages to the others, on their way to the thread that sends them. Any thread may send.
final class NodeMessageQueue: Sendable {
    private let state = Monitor((messages: OutgoingMessages(), isClosed: false))
    /// Nil if the process had no descriptor left; sending then takes up to a second.
    let waker = EventDescriptor()

    /// Returns false if too much is waiting, or if the message is too large. A vital message waits as long as it must.
    func send(_ body: [UInt8], isVital: Bool = false) -> Bool {
        let now = monotonicNanoseconds()
        let isTaken = state.withLock { $0.messages.add(body, isVital: isVital, now: now) }
        if isTaken { waker?.wake() }
        return isTaken
    }

    /// The messages that may be sent now.
    func take() -> [[UInt8]] {
        let now = monotonicNanoseconds()
        return state.withLock { $0.messages.take(now: now) }
    }

    /// The messages that must be sent although the queue is closed.
    func takeVital() -> [[UInt8]] {
        state.withLock { $0.messages.takeVital() }
    }

    /// Call this if the last batch could not be sent: its vital messages wait again.
    func putBack() {
        state.withLock { $0.messages.putBack() }
    }

    /// The time until a message may be sent; nil if none is waiting.
    var delay: Duration? {
        let now = monotonicNanoseconds()
        return state.withLock { $0.messages.delay(now: now) }.map { .nanoseconds(Int64(clamping: $0)) }
    }

    func close() {
        state.change { $0.isClosed = true }
        waker?.wake()
    }

    /// Sleeps for `timeout`, or until it is closed.
    func waitUntilClosed(timeout: Duration) {
        state.wait(timeout: timeout) { $0.isClosed ? () : nil }
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }
}
