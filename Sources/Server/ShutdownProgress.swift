internal import Concurrency
internal import Observability

/// Says what a server that takes long to end still waits for, because a service manager kills it without a word.
final class ShutdownProgress: Sendable {
    /// Nil once everything has ended.
    private let part = Monitor<String?>("")
    private let thread: WorkerThread

    init(_ log: Log, patience: Duration = .seconds(10)) {
        thread = WorkerThread(name: "shutdown") { [part] in
            while part.wait(timeout: patience, for: { $0 == nil ? () : nil }) == nil {
                guard let part = part.withLock({ $0 }) else { return }
                log.warning("draining takes long", fields: ["waits_for": part])
            }
        }
    }

    func wait(for name: String, body: () -> Void) {
        part.withLock { $0 = name }
        body()
    }

    func end() {
        part.change { $0 = nil }
        thread.join()
    }
}
