internal import Concurrency
internal import Gateway
internal import Observability
internal import TurboStreams

/// A thread that looks every second for changed template files and a renewed certificate. It also returns the memory
/// that a crowd of connections has left.
struct FileWatcher {
    private let thread: WorkerThread
    private let mailbox: Mailbox<Never>
    private let waker = Waker()

    init(templates: TemplateLoader, certificate: CertificateWatch?, gateway: Gateway, log: Log) {
        let mailbox = Mailbox<Never>(capacity: 0) { [waker] in waker.wake() }
        self.mailbox = mailbox
        thread = WorkerThread(name: "watcher") { [waker] in
            var certificate = certificate
            var watch = TemplateWatch(templates, log: log)
            var trim = MemoryTrimSchedule()
            while !mailbox.isClosed {
                waker.wait(timeout: .seconds(1))
                if trim.isDue(ended: gateway.endedConnections) { Memory.trim() }
                certificate?.refresh()
                if watch.refresh() { gateway.forgetRecentMessages() }
            }
        }
    }

    /// Looks at once instead of within a second.
    func look() {
        waker.wake()
    }

    func stop() {
        mailbox.close()
        thread.join()
    }
}
