internal import CLinux
internal import Domain
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

extension Promise {
    /// Nil when the value has not come in time.
    public func wait(timeout: Duration) -> Value? {
        let deadline = monotonicNanoseconds() + UInt64(max(0, timeout.milliseconds)) * 1_000_000
        while true {
            if let value = value.withLock({ $0 }) { return value }
            guard gate.wait(until: deadline) else { return nil }
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
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
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

    /// False when monotonic nanoseconds have passed `deadline`.
    func wait(until deadline: UInt64) -> Bool {
        var time = timespec()
        time.tv_sec = Int(deadline / 1_000_000_000)
        time.tv_nsec = Int(deadline % 1_000_000_000)
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        while !isOpen {
            if pthread_cond_timedwait(condition, lock, &time) != 0 { return isOpen }
        }
        return true
    }
}
