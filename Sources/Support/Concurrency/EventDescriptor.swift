import CLinux
import Domain
import Glibc

/// Wakes a thread that sleeps on descriptors: one of them is this eventfd, which any thread may signal.
public final class EventDescriptor: Sendable {
    /// Readable until the wakes are consumed.
    public let descriptor: Int32

    /// Returns nil when the process has run out of descriptors.
    public init?() {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard descriptor >= 0 else { return nil }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    public func wake() {
        var one: UInt64 = 1
        // EAGAIN means that 2^64-2 wakes have not been consumed, which takes longer than any process lives.
        _ = write(descriptor, &one, MemoryLayout<UInt64>.size)
    }

    /// Consumes the pending wakes.
    public func clear() {
        var wakes: UInt64 = 0
        _ = read(descriptor, &wakes, MemoryLayout<UInt64>.size)
    }

    /// Sleeps until woken, until one of `sockets` is ready, or for `timeout` at most. Consumes the pending wakes.
    /// Returns for each socket whether it can be read or written, whichever was requested, or has failed.
    @discardableResult
    public func wait(timeout: Duration, or sockets: [PolledSocket] = []) -> [Bool] {
        var polls = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
        for socket in sockets {
            let events = (socket.isRead ? POLLIN : 0) | (socket.isWritten ? POLLOUT : 0)
            polls.append(pollfd(fd: socket.descriptor, events: Int16(events), revents: 0))
        }
        let count = poll(&polls, nfds_t(polls.count), Int32(clamping: max(0, timeout.milliseconds)))
        clear()
        return polls.dropFirst().map { count > 0 && $0.revents != 0 }
    }
}

/// A socket that a thread waits for, and which operations it waits for.
public struct PolledSocket: Sendable {
    let descriptor: Int32
    let isRead: Bool
    let isWritten: Bool

    public init(_ descriptor: Int32, forReading isRead: Bool, forWriting isWritten: Bool) {
        self.descriptor = descriptor
        self.isRead = isRead
        self.isWritten = isWritten
    }
}
