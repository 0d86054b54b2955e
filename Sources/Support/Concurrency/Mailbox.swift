import Synchronization

/// A bounded queue with one receiver, through which threads send each other messages.
///
/// Any thread may send. Only a send into the empty queue wakes the receiver, so a burst costs one wake (the rule of
/// NIO's event loop). The receiver takes all messages at once.
public final class Mailbox<Message: Sendable>: Sendable {
    private struct Queue {
        var messages: [Message] = []
        var isClosed = false
    }

    /// How many messages wait. Not read from the queue: a loop asks for each of its turns, and a lock of a generic type
    /// looks up its metadata each time, which takes longer than the lock.
    private let waiting = Atomic<Int>(0)
    private let queue = Mutex(Queue())
    private let capacity: Int
    private let wake: @Sendable () -> Void

    /// `wake` runs on the sender's thread, outside the lock.
    public init(capacity: Int, wake: @escaping @Sendable () -> Void) {
        self.capacity = capacity
        self.wake = wake
    }

    /// Returns false when the mailbox is full or closed; then nothing was sent.
    @discardableResult
    public func send(_ message: Message) -> Bool {
        let (accepted, wasEmpty) = queue.withLock { queue in
            guard !queue.isClosed, queue.messages.count < capacity else { return (false, false) }
            queue.messages.append(message)
            waiting.store(queue.messages.count, ordering: .sequentiallyConsistent)
            return (true, queue.messages.count == 1)
        }
        if wasEmpty { wake() }
        return accepted
    }

    /// Takes all waiting messages, oldest first.
    public func drain() -> [Message] {
        queue.withLock { queue in
            let messages = queue.messages
            queue.messages = []
            waiting.store(0, ordering: .sequentiallyConsistent)
            return messages
        }
    }

    /// In one order with what the receiver tells senders before it sleeps.
    public var count: Int { waiting.load(ordering: .sequentiallyConsistent) }

    /// Refuses new messages; those that wait can still be drained.
    public func close() {
        queue.withLock { $0.isClosed = true }
        wake()
    }

    public var isClosed: Bool { queue.withLock { $0.isClosed } }
}

/// A value that is replaced as a whole while other threads use it, such as settings that a reload changes.
public final class SharedValue<Value: Sendable>: Sendable {
    private let stored: Mutex<Value>

    public init(_ value: Value) {
        stored = Mutex(value)
    }

    public var value: Value { stored.withLock { $0 } }

    public func replace(with value: Value) {
        stored.withLock { $0 = value }
    }
}
