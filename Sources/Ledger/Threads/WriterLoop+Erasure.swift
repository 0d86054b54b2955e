internal import Concurrency
internal import LedgerInterface
internal import LedgerSQL
internal import Observability

/// Erased rows are still in free space and in the journal after the commit.
extension WriterLoop {
    func scrub() {
        do throws(EngineError) {
            if try !repository.overwriteFreeSpace() {
                let todo = "at the next maintenance: paycast backup copy.db, stop the server, paycast restore copy.db"
                log.warning("free space not overwritten", fields: ["why": "the ledger is large", "todo": todo])
            }
        } catch {
            log.error("free space not overwritten", fields: ["problem": error, "todo": "erase again"])
        }
        emptyJournal()
    }

    /// Readers let go of the journal within milliseconds, a checkpoint within a second, a backup when it is done.
    private func emptyJournal() {
        for _ in 0..<100 {
            if (try? repository.emptyJournal()) == true { return }
            Waker().wait(timeout: .milliseconds(10))
        }
        let todo = "erase again when the backup is done, or start the server again"
        log.warning("journal not emptied", fields: ["why": "something reads the ledger", "todo": todo])
    }
}
