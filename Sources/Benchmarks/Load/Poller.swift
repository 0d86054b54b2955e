import CLinux
import Glibc

/// Level-triggered epoll, used by one thread only. A closed descriptor removes itself.
final class Poller {
    struct Readiness: OptionSet {
        let rawValue: UInt32

        static let read = Readiness(rawValue: EPOLLIN.rawValue | EPOLLRDHUP.rawValue)
        static let write = Readiness(rawValue: EPOLLOUT.rawValue)
    }

    private static let capacity = 1024
    private let descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
    private let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: capacity)

    deinit {
        events.deallocate()
        close(descriptor)
    }

    func add(_ socket: Int32, for readiness: Readiness, tag: UInt64) {
        control(EPOLL_CTL_ADD, on: socket, for: readiness, tag: tag)
    }

    func change(_ socket: Int32, for readiness: Readiness, tag: UInt64) {
        control(EPOLL_CTL_MOD, on: socket, for: readiness, tag: tag)
    }

    /// Stops watching the socket, which stays open.
    func remove(_ socket: Int32) {
        control(EPOLL_CTL_DEL, on: socket, for: [], tag: 0)
    }

    /// Waits for events, at most `milliseconds`, and passes the tag of each to `body`.
    func wait(milliseconds: Int32, body: (UInt64) -> Void) {
        let count = epoll_wait(descriptor, events, Int32(Poller.capacity), milliseconds)
        for index in 0..<Int(max(0, count)) { body(events[index].data.u64) }
    }

    private func control(_ operation: Int32, on socket: Int32, for readiness: Readiness, tag: UInt64) {
        var event = epoll_event()
        event.events = readiness.rawValue
        event.data.u64 = tag
        epoll_ctl(descriptor, operation, socket, &event)
    }
}
