internal import Runtime
internal import Synchronization

/// One value from a thread to the one that waits for it.
final class Handover<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    private let waker = Waker()

    func give(_ given: Value) {
        value.withLock { $0 = given }
        waker.wake()
    }

    func take() -> Value {
        while true {
            if let given = value.withLock({ $0 }) { return given }
            waker.wait()
        }
    }
}
