internal import Concurrency

/// A thread that tells systemd that the server is alive, as long as what it does shows that: a probe that does not come
/// back is the silence after which systemd starts the server anew.
struct Watchdog {
    private let thread: WorkerThread
    private let mailbox: Mailbox<Never>

    /// Nil where nobody watches.
    init?(_ manager: ServiceManager, probe: @escaping @Sendable () -> Void) {
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

    /// Before what it probes goes away.
    func stop() {
        mailbox.close()
        thread.join()
    }
}
