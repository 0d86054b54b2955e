internal import Synchronization

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
