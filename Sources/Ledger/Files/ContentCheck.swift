public import Support
import Synchronization

/// Checks whether the ledger's file holds what was written to it. It reads the whole file, one table at a time, on a
/// fresh connection that has nothing cached. One thread owns it; `stop` and `isQuick` may be called from others.
///
/// Checks take at most a hundredth of the time: a small ledger is read every few seconds, one of 50 GB a few times a
/// day.
public final class ContentCheck: Sendable {
    public enum Finding: Equatable {
        case whole
        case damaged(String)
        /// The check was stopped, or the file was busy or could not be opened.
        case unknown
    }

    private struct State {
        var endedAt: MonotonicTime = 0
        var duration: UInt64 = 0
        var newest: Int64 = 0
        /// When the running check began.
        var startedAt: MonotonicTime?
        var running: Interrupter?
        var isStopped = false
    }

    private let path: String
    private let epoch: String
    private let state = Mutex(State())

    public init(path: String, epoch: String) {
        self.path = path
        self.epoch = epoch
    }

    /// True when the check is short enough to wait for, as far as the last one and the running one tell.
    var isQuick: Bool {
        let now = monotonicNanoseconds()
        return state.withLock { max($0.duration, $0.startedAt.map { now - $0 } ?? 0) < 200_000_000 }
    }

    public func isDue(isAsked: Bool, now: MonotonicTime) -> Bool {
        let state = state.withLock { $0 }
        let least: UInt64 = isAsked ? 1_000_000_000 : 5_000_000_000
        return !state.isStopped && now >= state.endedAt + max(least, state.duration * 100)
    }

    /// Ends the running check, and begins no other. May be called from any thread.
    public func stop() {
        state.withLock { state in
            state.isStopped = true
            state.running?.interrupt()
        }
    }

    public func run() -> Finding {
        let start = monotonicNanoseconds()
        state.withLock { $0.startedAt = start }
        defer {
            let now = monotonicNanoseconds()
            state.withLock { ($0.endedAt, $0.duration, $0.startedAt) = (now, now - start, nil) }
        }
        do throws(EngineError) {
            let connection = try SQLiteConnection(path: path, access: .readOnly, lockTimeout: .zero)
            let isStopped = state.withLock { state in
                state.running = connection.interrupter
                return state.isStopped
            }
            defer { state.withLock { $0.running = nil } }
            return isStopped ? .unknown : try examine(connection)
        } catch {
            return error.isDamage ? .damaged(EngineError.damage) : .unknown
        }
    }

    private func examine(_ connection: SQLiteConnection) throws(EngineError) -> Finding {
        guard try connection.epoch() == epoch else { return .damaged("another ledger was written over it: \(todo)") }
        let head = try connection.prepare("SELECT max(position) FROM entries").first { $0.integer() } ?? 0
        let before = state.withLock { state in
            defer { state.newest = max(state.newest, head) }
            return state.newest
        }
        guard head >= before else { return .damaged("an older ledger was written over it: \(todo)") }
        let tables = try connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all { $0.text() }
        for table in ["sqlite_schema"] + tables {
            let quoted = table.replacing("'", with: "''")
            let answer = try connection.prepare("PRAGMA quick_check('\(quoted)')").first { $0.text() }
            guard answer == "ok" else { return .damaged(EngineError.damage) }
        }
        return .whole
    }

    private var todo: String { "nothing is committed any more; stop the server and restore a backup" }
}
