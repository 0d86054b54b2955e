internal import CLinux
internal import Domain
internal import Glibc

/// A thread's sleep: any thread may `wake` it. An eventfd, because `Synchronization.Mutex` has no condition variable.
public final class Waker: Sendable {
    /// Readable while a wake is pending: for a thread that sleeps on other descriptors too.
    public let descriptor: Int32

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
        var none: [PolledSocket] = []
        wait(timeout: timeout, or: &none)
    }

    /// The same, and ends as well when one of `sockets` is ready.
    public func wait(timeout: Duration?, or sockets: inout [PolledSocket]) {
        var polls = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
        for socket in sockets {
            let events = (socket.isRead ? POLLIN : 0) | (socket.isWritten ? POLLOUT : 0)
            polls.append(pollfd(fd: socket.descriptor, events: Int16(events), revents: 0))
        }
        let milliseconds = timeout.map { Int32(clamping: max(0, $0.milliseconds)) } ?? -1
        let count = poll(&polls, nfds_t(polls.count), milliseconds)
        for index in sockets.indices { sockets[index].isReady = count > 0 && polls[index + 1].revents != 0 }
        clear()
    }

    /// Takes the wakes that are pending.
    public func clear() {
        var wakes: UInt64 = 0
        _ = read(descriptor, &wakes, MemoryLayout<UInt64>.size)
    }
}
