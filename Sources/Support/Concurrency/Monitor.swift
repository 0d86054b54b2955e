import CLinux
import Domain
import Glibc

/// A shared value that threads can wait on for changes: `Synchronization.Mutex` has no condition variable.
///
/// It uses no file descriptor, so a server that has run out of them goes on.
///
/// `@unchecked Sendable`: the lock and the condition variable are pthread objects whose addresses never change, and the
/// value is only touched under the lock.
public final class Monitor<Value: Sendable>: @unchecked Sendable {
    /// Which waiting threads a change wakes.
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

    /// Changes the value and wakes the threads that wait on it. `body` runs under the lock: it must not block.
    @discardableResult
    public func change<Result>(waking audience: Audience = .everybody, body: (inout Value) -> Result) -> Result {
        pthread_mutex_lock(lock)
        let result = body(&value)
        pthread_mutex_unlock(lock)
        switch audience {
        case .one: pthread_cond_signal(condition)
        case .everybody: pthread_cond_broadcast(condition)
        }
        return result
    }

    /// Reads the value, or changes a part of it that no thread waits on.
    public func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return body(&value)
    }

    /// Sleeps until `take` returns a value. `take` runs under the lock and may change the value.
    public func wait<Result>(for take: (inout Value) -> Result?) -> Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        while true {
            if let taken = take(&value) { return taken }
            pthread_cond_wait(condition, lock)
        }
    }

    /// Sleeps for `timeout` at most; returns nil when that has passed.
    public func wait<Result>(timeout: Duration, for take: (inout Value) -> Result?) -> Result? {
        var end = Monitor.moment(after: timeout)
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        while true {
            if let taken = take(&value) { return taken }
            guard pthread_cond_timedwait(condition, lock, &end) == 0 else { return take(&value) }
        }
    }

    /// On the monotonic clock, and at most 24 days from now, so that no sum overflows.
    private static func moment(after timeout: Duration) -> timespec {
        let milliseconds = min(max(0, timeout.milliseconds), 1 << 31)
        let end = (monotonicNanoseconds() + UInt64(milliseconds) * 1_000_000).nanoseconds
        return timespec(tv_sec: Int(end / 1_000_000_000), tv_nsec: Int(end % 1_000_000_000))
    }
}

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

/// Lets a thread sleep until another one calls `wake`.
public final class Waker: Sendable {
    private let isPending = Monitor(false)

    public init() {}

    public func wake() {
        isPending.change { $0 = true }
    }

    /// Sleeps until woken, or for `timeout` at most. One wait consumes all earlier wakes.
    public func wait(timeout: Duration? = nil) {
        guard let timeout else { return isPending.wait(for: Waker.take) }
        isPending.wait(timeout: timeout, for: Waker.take)
    }

    private static func take(_ isPending: inout Bool) -> Void? {
        guard isPending else { return nil }
        isPending = false
        return ()
    }
}
