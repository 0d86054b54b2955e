internal import Concurrency
internal import Observability
internal import SQLiteLedger

/// A ledger that loses its name, or its journal's, while the server runs.
extension WriterLoop {
    /// Saves what the open files hold; they hold everything until this process ends. A journal that has lost its name
    /// is copied into its ledger, and a ledger that has lost its name into a new file.
    func rescue() {
        guard let path = store.place.path, health.contentIsSound else { return }
        do throws(SQLiteError) {
            guard !store.place.hasLedger else { return try copyJournal() }
            let file = path + ".rescued"
            try store.copy(to: file)
            log.error(
                "ledger rescued",
                fields: ["file": file, "todo": "stop the server, then: paycast restore \(file)"]
            )
        } catch {
            log.error("ledger not rescued", fields: ["problem": error])
        }
    }

    /// The checkpointer may be at work at this moment, which ends within milliseconds.
    private func copyJournal() throws(SQLiteError) {
        for _ in 0..<200 {
            if try store.copyJournal() { return }
            Waker().wait(timeout: .milliseconds(10))
        }
        log.error("ledger not rescued", fields: ["problem": "something holds its journal"])
    }
}
