/// The journal, and a copy of everything.
extension LedgerStore {
    /// Pages that were written since the last call.
    public func takePagesWritten() -> Int { connection.takePagesWritten() }

    /// Copies the journal into the ledger's file.
    public func copyJournal() throws(SQLiteError) {
        try connection.execute("PRAGMA wal_checkpoint(FULL)")
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
