internal import Synchronization

/// One value that another thread hands over.
public final class Promise<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    private let waker = Waker()

    public init() {}

    public func fulfil(_ value: Value) {
        self.value.withLock { $0 = value }
        waker.wake()
    }

    /// Blocks until the value is there. Never on a loop.
    public func wait() -> Value {
        while true {
            if let value = value.withLock({ $0 }) { return value }
            waker.wait()
        }
    }
}
