import CLinux
import Glibc

/// Has the loop report when a descriptor can be read or written, and closes it in the end.
///
/// Costs one system call for a new socket and one for each change. Confined to its loop's thread.
final class DescriptorWatch {
    private let descriptor: Int32
    /// Makes every call, so it outlives them.
    private unowned let loop: EventLoop
    private var wanted: UInt32
    /// Nil before the start, and once the descriptor is closed.
    private var handler: ((Socket.Report) -> Void)?
    private var hasEnded = false

    /// Edge-triggered, only news is reported: nobody has to read what has come. Nil when the loop cannot take the
    /// descriptor, which then stays open.
    init?(_ descriptor: Int32, on loop: EventLoop, isEdgeTriggered: Bool = false) {
        self.descriptor = descriptor
        self.loop = loop
        wanted = isEdgeTriggered ? EPOLLIN.rawValue | EPOLLET.rawValue : EPOLLIN.rawValue
        guard loop.control(EPOLL_CTL_ADD, descriptor, reporting: wanted, to: self) else { return nil }
        // epoll has this object's address until the descriptor is closed.
        _ = Unmanaged.passRetained(self)
    }

    /// From now on `handler` is told when it can be read. It is kept until the descriptor is closed.
    func start(handler: @escaping (Socket.Report) -> Void) {
        self.handler = handler
    }

    /// Level-triggered: each report is repeated for as long as its condition holds.
    func report(reading: Bool, writing: Bool) {
        let wanted = (reading ? EPOLLIN.rawValue : 0) | (writing ? EPOLLOUT.rawValue : 0)
        guard wanted != self.wanted, !hasEnded else { return }
        self.wanted = wanted
        // epoll(7) always reports a peer that has hung up; edge-triggered, it does so only once.
        loop.control(EPOLL_CTL_MOD, descriptor, reporting: wanted == 0 ? EPOLLET.rawValue : wanted, to: self)
    }

    /// Closes the descriptor at the end of the loop's turn.
    func end() {
        guard !hasEnded else { return }
        hasEnded = true
        loop.remove(descriptor)
        loop.close(self)
    }

    // MARK: For the loop

    func isReady(_ events: UInt32) {
        guard !hasEnded else { return }
        guard events & EPOLLERR.rawValue == 0 else {
            report(reading: false, writing: false)
            handler?(.failed)
            return
        }
        // After a hang-up, reading finds the end, and writing the error.
        let ready = events & EPOLLHUP.rawValue == 0 ? events & wanted : wanted
        guard ready != 0 else { return }
        handler?(.ready(reading: ready & EPOLLIN.rawValue != 0, writing: ready & EPOLLOUT.rawValue != 0))
    }

    func close() {
        Glibc.close(descriptor)
        let last = handler
        handler = nil
        last?(.closed)
        Unmanaged.passUnretained(self).release()
    }
}
