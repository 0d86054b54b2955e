internal import Concurrency

/// A thread that reports to systemd that the server is alive, each time a probe of the server has returned. While a
/// probe hangs, systemd hears nothing and in the end restarts the server.
struct Watchdog {
    private let thread: WorkerThread
    private let mailbox: Mailbox<Never>

    /// Nil when systemd does not watch this process.
    init?(_ manager: SystemdNotifier, probe: @escaping @Sendable () -> Void) {
        guard let patience = manager.patience else { return nil }
        let waker = Waker()
        let mailbox = Mailbox<Never>(capacity: 0) { waker.wake() }
        self.mailbox = mailbox
        thread = WorkerThread(name: "watchdog") {
            while !mailbox.isClosed {
                probe()
                manager.tell(.alive)
                waker.wait(timeout: patience / 3)
            }
        }
    }

    /// Call it before the probed parts go away.
    func stop() {
        mailbox.close()
        thread.join()
    }
}
