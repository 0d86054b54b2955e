internal import CLinux
internal import Glibc

/// Tells on which of many sockets the peer has closed or said something, without reading from them.
///
/// For connections that only send (Server-Sent Events): their owner has turned reading off, since a level-triggered
/// poll on bytes that nobody takes would spin. Edge-triggered, so each event is reported once. Confined to one thread.
/// A closed descriptor leaves by itself.
public final class HangupWatch {
    private let descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))

    public init() {
        precondition(descriptor >= 0, "epoll_create1: no file descriptor left; raise ulimit -n")
    }

    deinit {
        close(descriptor)
    }

    /// `tag` comes back when the peer has closed or sent anything from now on.
    public func add(_ socket: Int32, tag: UInt64) {
        var event = epoll_event()
        event.events = EPOLLIN.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue
        event.data.u64 = tag
        // Again for one that is watched already: it reports anew.
        if epoll_ctl(descriptor, EPOLL_CTL_ADD, socket, &event) != 0 {
            epoll_ctl(descriptor, EPOLL_CTL_MOD, socket, &event)
        }
    }

    /// The tags of those that stirred since the last call; 256 at the most, the rest comes next time.
    public func take() -> [UInt64] {
        withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: 256) { events in
            let count = Int(epoll_wait(descriptor, events.baseAddress, Int32(events.count), 0))
            return (0..<max(0, count)).map { events[$0].data.u64 }
        }
    }
}
