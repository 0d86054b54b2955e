internal import Glibc
public import LedgerSQL

/// The journal, and a copy of everything.
extension SQLiteConnection {
    public var problem: String? { place?.problem }

    /// Saves what the open files hold; they hold everything until this process ends. A journal that has lost its name
    /// is copied into its ledger, and a ledger that has lost its name into a new file.
    public func rescue() throws(EngineError) -> Rescue {
        guard let place, let path = place.path else { return .nothing }
        guard !place.hasLedger else { return try rescueJournal() }
        let file = path + ".rescued"
        try copy(to: file)
        return .copied(file: file)
    }

    /// The checkpointer may be at work at this moment, which ends within milliseconds.
    private func rescueJournal() throws(EngineError) -> Rescue {
        for _ in 0..<200 {
            if try copyJournal() { return .inPlace }
            usleep(10_000)
        }
        return .failed(reason: "something holds its journal")
    }

    /// Copies the journal into the ledger's file. Returns false when not everything was copied, because another
    /// checkpoint runs: SQLite says that in the row, and calls it no error
    /// (https://www.sqlite.org/pragma.html#pragma_wal_checkpoint).
    func copyJournal() throws(EngineError) -> Bool {
        let rows = try prepare("PRAGMA wal_checkpoint(FULL)").first { row in
            (isBusy: row.integer(0) != 0, pages: row.integer(1), copied: row.integer(2))
        }
        return rows.map { !$0.isBusy && $0.pages == $0.copied } ?? false
    }

    /// Saves the next start from reading a journal, unless a reader still holds it.
    public func finish() {
        try? execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    /// Copies the whole ledger into a file that does not exist yet, or is empty.
    func copy(to file: String) throws(EngineError) {
        LedgerFile.create(file)
        try prepare("VACUUM INTO ?").run([.text(file)])
    }
}
