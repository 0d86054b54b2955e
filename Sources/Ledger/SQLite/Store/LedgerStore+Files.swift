/// The journal, and a copy of everything.
extension LedgerStore {
    /// Pages that were written since the last call.
    public func takePagesWritten() -> Int { connection.takePagesWritten() }

    /// Copies the journal into the ledger's file. Returns false when not everything was copied, because another
    /// checkpoint runs: SQLite says that in the row, and calls it no error
    /// (https://www.sqlite.org/pragma.html#pragma_wal_checkpoint).
    public func copyJournal() throws(SQLiteError) -> Bool {
        let rows = try connection.prepare("PRAGMA wal_checkpoint(FULL)").first { row throws(SQLiteError) in
            (isBusy: row.flag(0), pages: row.integer(1), copied: row.integer(2))
        }
        return rows.map { !$0.isBusy && $0.pages == $0.copied } ?? false
    }

    /// Empties the journal, unless a reader still holds it.
    public func truncateJournal() {
        try? connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    /// Copies the whole ledger into a file that does not exist yet, or is empty.
    public func copy(to file: String) throws(SQLiteError) {
        LedgerFile.create(file)
        try connection.prepare("VACUUM INTO ?").run([.text(file)])
    }
}
