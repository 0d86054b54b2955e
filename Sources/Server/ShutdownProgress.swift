internal import Support

/// Says what a server that takes long to end still waits for, because a service manager kills it without a word.
final class ShutdownProgress: Sendable {
    /// Nil once everything has ended.
    private let part = Monitor<String?>("")
    /// Nil if the system could not start another thread: the server ends all the same.
    private let ended: Promise<Void>?

    init(_ log: Log, patience: Duration = .seconds(10)) {
        let ended = Promise<Void>()
        let isStarted = WorkerThread.detach(name: "shutdown") { [part] in
            defer { ended.fulfil(()) }
            while part.wait(timeout: patience, for: { $0 == nil ? () : nil }) == nil {
                guard let part = part.withLock({ $0 }) else { return }
                log.warning("still draining", fields: ["waits_for": part])
            }
        }
        self.ended = isStarted ? ended : nil
    }

    func wait(for name: String, body: () -> Void) {
        part.withLock { $0 = name }
        body()
    }

    func end() {
        part.change { $0 = nil }
        ended?.wait()
    }
}
