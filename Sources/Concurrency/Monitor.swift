internal import CLinux
internal import Domain
internal import Glibc

/// A value that threads share and whose changes they can sleep on: `Synchronization.Mutex` has no condition variable.
///
/// Costs no descriptor, so that a server that has run out of them goes on. Sendable by this promise: lock and condition
/// are pthreads' own, at addresses that never change, and the value is touched under the lock only.
public final class Monitor<Value: Sendable>: @unchecked Sendable {
    /// Who is woken by a change.
    public enum Audience: Sendable {
        case one, everybody
    }

    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var value: Value

    public init(_ value: Value) {
        self.value = value
        pthread_mutex_init(lock, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        // Setting the machine's clock must not lengthen a sleep.
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

    /// Changes the value and wakes those who sleep on it. `body` runs under the lock: it must not block.
    @discardableResult
    public func change<Result>(waking audience: Audience = .everybody, _ body: (inout Value) -> Result) -> Result {
        pthread_mutex_lock(lock)
        let result = body(&value)
        pthread_mutex_unlock(lock)
        switch audience {
        case .one: pthread_cond_signal(condition)
        case .everybody: pthread_cond_broadcast(condition)
        }
        return result
    }

    /// Looks at the value, or changes what nobody sleeps on.
    public func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return body(&value)
    }

    /// Sleeps until `take` finds what it looks for; it runs under the lock, and may change the value.
    public func wait<Result>(for take: (inout Value) -> Result?) -> Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        while true {
            if let taken = take(&value) { return taken }
            pthread_cond_wait(condition, lock)
        }
    }

    /// The same, for `timeout` at the most; nil when that has passed.
    public func wait<Result>(timeout: Duration, for take: (inout Value) -> Result?) -> Result? {
        var end = Monitor.moment(after: timeout)
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        while true {
            if let taken = take(&value) { return taken }
            guard pthread_cond_timedwait(condition, lock, &end) == 0 else { return take(&value) }
        }
    }

    /// Of the monotonic clock; three weeks from now at the most, so that no sum overflows.
    private static func moment(after timeout: Duration) -> timespec {
        let milliseconds = min(max(0, timeout.milliseconds), 1 << 31)
        let end = monotonicNanoseconds() + UInt64(milliseconds) * 1_000_000
        return timespec(tv_sec: Int(end / 1_000_000_000), tv_nsec: Int(end % 1_000_000_000))
    }
}
