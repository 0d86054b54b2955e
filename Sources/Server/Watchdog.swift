internal import Concurrency

/// A thread that tells systemd that the server is alive, each time a probe of the server has returned. When a probe
/// does not return, systemd hears nothing and restarts the server.
struct Watchdog {
    private let thread: WorkerThread
    private let mailbox: Mailbox<Never>

    /// Nil when systemd does not watch.
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

    /// Call it before what it probes goes away.
    func stop() {
        mailbox.close()
        thread.join()
    }
}
