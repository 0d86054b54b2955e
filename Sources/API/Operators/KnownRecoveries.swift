import Domain
import Stores
import Synchronization

/// The recoveries that somebody asked this node for: those that run, and the newest that have ended. May be used on any thread.
final class KnownRecoveries: Sendable {
    /// Of those that have ended.
    private static let limit = 100

    /// In the order in which they began.
    private let list = Mutex<[RecoveryAnswer]>([])

    var running: [RecoveryAnswer] { list.withLock { $0.filter { $0.state == .running } } }

    subscript(id: String) -> RecoveryAnswer? {
        list.withLock { $0.first { $0.id.hasSameBytes(as: id) } }
    }

    func begin(_ recovery: RecoveryAnswer) {
        list.withLock { list in
            list.append(recovery)
            let ended = list.indices.filter { list[$0].state != .running }
            for index in ended.dropLast(KnownRecoveries.limit).reversed() { list.remove(at: index) }
        }
    }

    /// What it has read so far.
    func note(_ report: RecoveryReport, of id: String) {
        change(id) { $0.read(report) }
    }

    func end(_ id: String, at now: Instant, with report: RecoveryReport) {
        change(id) {
            $0.read(report)
            $0.state = report.isFailure || report.isInterrupted ? .failed : .done
            $0.endedAt = now.iso8601
        }
    }

    private func change(_ id: String, _ change: (inout RecoveryAnswer) -> Void) {
        list.withLock { list in
            guard let index = list.firstIndex(where: { $0.id == id }) else { return }
            change(&list[index])
        }
    }
}
