internal import Synchronization

/// The only place where threads meet: a bounded queue with one receiver.
///
/// Any thread may send. Only the send that finds the queue empty wakes the receiver, so a burst costs one wake
/// (the rule of NIO's event loop). The receiver takes everything at once.
public final class Mailbox<Message: Sendable>: Sendable {
    private struct Queue {
        var messages: [Message] = []
        var isClosed = false
    }

    private let queue = Mutex(Queue())
    private let capacity: Int
    private let wake: @Sendable () -> Void

    /// `wake` runs on the sender's thread, outside the lock.
    public init(capacity: Int, wake: @escaping @Sendable () -> Void) {
        self.capacity = capacity
        self.wake = wake
    }

    /// False when the mailbox is full or closed; then nothing was sent.
    @discardableResult
    public func send(_ message: Message) -> Bool {
        let (accepted, wasEmpty) = queue.withLock { queue in
            guard !queue.isClosed, queue.messages.count < capacity else { return (false, false) }
            queue.messages.append(message)
            return (true, queue.messages.count == 1)
        }
        if wasEmpty { wake() }
        return accepted
    }

    /// Everything that waits, oldest first.
    public func drain() -> [Message] {
        queue.withLock { queue in
            let messages = queue.messages
            queue.messages = []
            return messages
        }
    }

    public var count: Int { queue.withLock { $0.messages.count } }

    /// Refuses what comes from now on; what waits can still be drained.
    public func close() {
        queue.withLock { $0.isClosed = true }
        wake()
    }

    public var isClosed: Bool { queue.withLock { $0.isClosed } }
}
