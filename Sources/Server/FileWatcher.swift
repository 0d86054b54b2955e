internal import Concurrency
internal import Gateway
internal import Observability
internal import TurboStreams

/// A thread that looks after what changes by itself: template files, a renewed certificate.
struct FileWatcher {
    private let thread: WorkerThread
    private let mailbox: Mailbox<Never>
    private let waker = Waker()

    init(templates: TemplateStore, certificate: CertificateWatch?, gateway: Gateway, log: Log) {
        let mailbox = Mailbox<Never>(capacity: 0) { [waker] in waker.wake() }
        self.mailbox = mailbox
        thread = WorkerThread(name: "watcher") { [waker] in
            var certificate = certificate
            var watch = TemplateWatch(templates, log)
            var (trimmedAt, lastEnded) = (0, 0)
            while !mailbox.isClosed {
                waker.wait(timeout: .seconds(1))
                let ended = gateway.endedConnections
                // Only once the crowd has gone: while they come and go, what one leaves is the next one's.
                if ended == lastEnded, ended >= trimmedAt + FileWatcher.crowd {
                    trimmedAt = ended
                    Memory.release()
                }
                lastEnded = ended
                certificate?.refresh()
                if watch.refresh() { gateway.forgetRecentMessages() }
            }
        }
    }

    /// So many connections leave enough memory behind for it to be worth a few milliseconds.
    private static let crowd = 64

    /// Looks at once instead of within a second.
    func look() {
        waker.wake()
    }

    func stop() {
        mailbox.close()
        thread.join()
    }
}
