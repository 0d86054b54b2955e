internal import Glibc
internal import Synchronization

/// Ends the server from within. It stops like one that got SIGTERM: its pages come back by themselves, with their cursors,
/// here or at another node.
final class Restart: Sendable {
    private let isEnding = Atomic(false)
    private let due = Atomic(false)

    /// Whether the program has to begin again once the server has stopped.
    var isDue: Bool { due.load(ordering: .relaxed) }

    func beginAgain() {
        due.store(true, ordering: .relaxed)
        end()
    }

    func end() {
        guard !isEnding.exchange(true, ordering: .relaxed) else { return }
        kill(getpid(), SIGTERM)
    }
}
