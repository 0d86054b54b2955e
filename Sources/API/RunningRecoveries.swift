internal import Domain
internal import StoreInterface
internal import Synchronization

/// What the recoveries in progress have read so far. May be used on any thread.
final class RunningRecoveries: Sendable {
    struct Running: Sendable {
        let provider: Provider
        var report = RecoveryReport()
    }

    private struct State {
        var running: [Int: Running] = [:]
        var last = 0
    }

    private let state = Mutex(State())

    /// In the order in which they started.
    var all: [Running] { state.withLock { state in state.running.sorted { $0.key < $1.key }.map(\.value) } }

    /// Runs `recover` and publishes its progress meanwhile.
    func run(_ recover: HistoryRecovery, of provider: Provider, since: Instant?) -> RecoveryReport {
        let number = state.withLock { state in
            state.last += 1
            state.running[state.last] = Running(provider: provider)
            return state.last
        }
        defer { state.withLock { $0.running[number] = nil } }
        return recover(since) { report in
            state.withLock { $0.running[number]?.report = report }
        }
    }
}
