internal import CLinux
internal import Glibc

/// What one thread waits for on many sockets (epoll(7)). Any thread may `wake` it.
///
/// Both descriptors are made once, and the kernel lets any thread use them.
public final class Poller: Sendable {
    private let descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
    private let alarm = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))

    /// No socket has it.
    private static let alarmTag = UInt64.max

    public init() {
        precondition(descriptor >= 0 && alarm >= 0, "epoll_create1: no file descriptor left; raise ulimit -n")
        control(EPOLL_CTL_ADD, alarm, tag: Poller.alarmTag, EPOLLIN.rawValue)
    }

    deinit {
        close(descriptor)
        close(alarm)
    }

    /// Reports each change of a socket once: bytes, room, the end. A closed descriptor leaves by itself.
    @discardableResult
    public func watch(_ socket: Int32, tag: UInt64) -> Bool {
        let events = EPOLLIN.rawValue | EPOLLOUT.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue
        return control(EPOLL_CTL_ADD, socket, tag: tag, events)
    }

    /// Reports a listening socket as long as a connection waits.
    @discardableResult
    public func watchListener(_ socket: Int32, tag: UInt64) -> Bool {
        control(EPOLL_CTL_ADD, socket, tag: tag, EPOLLIN.rawValue)
    }

    /// The descriptor stays open and is somebody else's from now on.
    public func forget(_ socket: Int32) {
        control(EPOLL_CTL_DEL, socket, tag: 0, 0)
    }

    public func wake() {
        var one: UInt64 = 1
        // EAGAIN means 2^64-2 wakes are pending: the sleeper wakes anyway.
        _ = write(alarm, &one, MemoryLayout<UInt64>.size)
    }

    /// The tags of those that stirred, 256 at the most, after `milliseconds` at the latest or as soon as it is woken.
    public func wait(milliseconds: Int32) -> [UInt64] {
        withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: 256) { events in
            let count = Int(epoll_wait(descriptor, events.baseAddress, Int32(events.count), milliseconds))
            return (0..<max(0, count)).compactMap { index in
                let tag = events[index].data.u64
                guard tag == Poller.alarmTag else { return tag }
                var wakes: UInt64 = 0
                _ = read(alarm, &wakes, MemoryLayout<UInt64>.size)
                return nil
            }
        }
    }

    @discardableResult
    private func control(_ operation: Int32, _ socket: Int32, tag: UInt64, _ events: UInt32) -> Bool {
        var event = epoll_event()
        event.events = events
        event.data.u64 = tag
        return epoll_ctl(descriptor, operation, socket, &event) == 0
    }
}
