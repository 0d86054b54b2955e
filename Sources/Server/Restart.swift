import Glibc
import Synchronization

/// Ends the server from within. It stops as it does after SIGTERM: pages reconnect by themselves, with their cursors,
/// to this server or to another node.
final class Restart: Sendable {
    private let isEnding = Atomic(false)
    private let due = Atomic(false)

    /// True if the program must restart once the server has stopped.
    var isDue: Bool { due.load(ordering: .relaxed) }

    func restart() {
        due.store(true, ordering: .relaxed)
        end()
    }

    func end() {
        guard !isEnding.exchange(true, ordering: .relaxed) else { return }
        kill(getpid(), SIGTERM)
    }
}
