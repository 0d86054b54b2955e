internal import Glibc
internal import Synchronization

/// A server that has to begin again stops like one that got SIGTERM: its pages come back by themselves, with their
/// cursors.
final class Restart: Sendable {
    private let requested = Atomic(false)

    var isRequested: Bool { requested.load(ordering: .relaxed) }

    func request() {
        guard !requested.exchange(true, ordering: .relaxed) else { return }
        kill(getpid(), SIGTERM)
    }
}
