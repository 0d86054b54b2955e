import Domain
import Support
import Synchronization

/// Copies the journal into the ledger's file, on a thread and a connection of its own.
///
/// A checkpoint writes thousands of pages. Inside the writer's commits, which is SQLite's default, checkpoints cause
/// their slowest percent (21 ms at 200 events a second). A passive checkpoint blocks neither the writer nor readers
/// (https://www.sqlite.org/c3ref/wal_checkpoint_v2.html).
final class Checkpointer: Sendable {
    private let waker = Waker()
    private let isClosing = Atomic<Bool>(false)
    private let thread = OwnedThread()

    init(path: String, health: LedgerHealth) {
        thread.start("ledger-sync") { [self] in run(path, health: health) }
    }

    /// Call it when the journal has grown.
    func wake() { waker.wake() }

    /// Ends the thread.
    func close() {
        isClosing.store(true, ordering: .releasing)
        waker.wake()
        thread.join()
    }

    /// Tries again every second while it fails. Meanwhile the writer's own checkpoints help, every 64,000 pages.
    private func run(_ path: String, health: LedgerHealth) {
        while !isClosing.load(ordering: .acquiring) {
            do throws(EngineError) {
                let connection = try SQLiteConnection(path: path, access: .readWrite, lockTimeout: .zero)
                while true {
                    // A file that is no longer ours is left alone.
                    if health.isSound, !health.isTroubled(.files) {
                        try connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
                        health.report(.checkpoint, problem: nil)
                    }
                    waker.wait()
                    if isClosing.load(ordering: .acquiring) { return }
                }
            } catch {
                health.report(
                    .checkpoint,
                    problem: "the journal cannot be copied into it (\(error.message)): \(error.advice)"
                )
                waker.wait(timeout: .seconds(1))
            }
        }
    }
}
