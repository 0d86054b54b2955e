internal import CLinux
internal import Domain
internal import Glibc

/// A thread's sleep: any thread may `wake` it. An eventfd, because `Synchronization.Mutex` has no condition variable.
public final class Waker: Sendable {
    private let descriptor: Int32

    public init() {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        precondition(descriptor >= 0, "eventfd: no file descriptor left; raise ulimit -n")
    }

    deinit {
        close(descriptor)
    }

    public func wake() {
        var one: UInt64 = 1
        // EAGAIN means 2^64-2 wakes are pending: the sleeper wakes anyway.
        _ = write(descriptor, &one, MemoryLayout<UInt64>.size)
    }

    /// Sleeps until woken, or for `timeout` at the most; one wait takes all wakes before it.
    public func wait(timeout: Duration? = nil) {
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let milliseconds = timeout.map { Int32(clamping: max(0, $0.milliseconds)) } ?? -1
        _ = Glibc.poll(&poll, 1, milliseconds)
        var count: UInt64 = 0
        _ = read(descriptor, &count, MemoryLayout<UInt64>.size)
    }
}
