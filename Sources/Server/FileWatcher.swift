internal import Concurrency
internal import Gateway
internal import Observability
internal import TurboStreams

/// A thread that looks for changes from outside: template files, a renewed certificate. It also frees memory.
struct FileWatcher {
    private let thread: WorkerThread
    private let mailbox: Mailbox<Never>
    private let waker = Waker()

    init(templates: TemplateStore, certificate: CertificateWatch?, gateway: Gateway, log: Log) {
        let mailbox = Mailbox<Never>(capacity: 0) { [waker] in waker.wake() }
        self.mailbox = mailbox
        thread = WorkerThread(name: "watcher") { [waker] in
            var certificate = certificate
            var watch = TemplateWatch(templates, log: log)
            var (trimmedAt, lastEnded) = (0, 0)
            while !mailbox.isClosed {
                waker.wait(timeout: .seconds(1))
                let ended = gateway.endedConnections
                // Only once the crowd has gone: while connections come and go, the next one reuses the memory.
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

    /// This many connections leave enough memory behind that freeing it is worth a few milliseconds.
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
