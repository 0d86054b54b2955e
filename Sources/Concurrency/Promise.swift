/// One value that another thread hands over.
public final class Promise<Value: Sendable>: Sendable {
    private let value = Monitor<Value?>(nil)

    public init() {}

    public func fulfil(_ value: Value) {
        self.value.change { $0 = value }
    }

    /// Blocks until the value is there. Never call it on a loop.
    public func wait() -> Value {
        value.wait { $0 }
    }

    /// Returns nil when the value does not arrive in time.
    public func wait(timeout: Duration) -> Value? {
        value.wait(timeout: timeout) { $0 }
    }
}
