internal import CLinux
internal import Glibc
internal import Synchronization

/// One value that another thread hands over.
///
/// Waits on a condition of pthreads, which costs no descriptor: a server that has run out of them still answers.
public final class Promise<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    private let gate = Gate()

    public init() {}

    public func fulfil(_ value: Value) {
        self.value.withLock { $0 = value }
        gate.open()
    }

    /// Blocks until the value is there. Never on a loop.
    public func wait() -> Value {
        while true {
            if let value = value.withLock({ $0 }) { return value }
            gate.wait()
        }
    }
}

/// Closed until somebody opens it, once and for all. Sendable by this promise: lock and condition
/// are pthreads' own, at addresses that never change, and `isOpen` is read and written under the lock only.
private final class Gate: @unchecked Sendable {
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var isOpen = false

    init() {
        pthread_mutex_init(lock, nil)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(lock)
        condition.deallocate()
        lock.deallocate()
    }

    func open() {
        pthread_mutex_lock(lock)
        isOpen = true
        pthread_cond_broadcast(condition)
        pthread_mutex_unlock(lock)
    }

    func wait() {
        pthread_mutex_lock(lock)
        while !isOpen { pthread_cond_wait(condition, lock) }
        pthread_mutex_unlock(lock)
    }
}
