internal import Glibc

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

    /// FAST costs no writing of its own: it overwrites what was in pages that are written anyway.
    public func overwriteDeleted(_ isOn: Bool) throws(EngineError) {
        try execute("PRAGMA secure_delete = \(isOn ? "ON" : "FAST")")
    }

    /// When pages are balanced, cells are copied, and `secure_delete` does not overwrite what stays behind: of 30,000
    /// changed rows, 2 were still there with ON, and 34 with FAST. Only a new copy has none. It takes a second for 64 MB,
    /// in which nothing is committed.
    public func overwriteFreeSpace() throws(EngineError) -> Bool {
        let size = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
        guard try prepare(size).first(read: { row in row.integer(0) }) ?? .max <= 64 << 20 else { return false }
        try execute("VACUUM")
        return true
    }

    /// Copies the journal into the ledger's file before it empties it. A reader, a backup or another checkpoint may hold
    /// it; then this does not wait, because a backup reads for minutes.
    public func emptyJournal() throws(EngineError) -> Bool {
        let patience = try prepare("PRAGMA busy_timeout").first { row in row.integer(0) } ?? 0
        try execute("PRAGMA busy_timeout = 0")
        defer { try? execute("PRAGMA busy_timeout = \(patience)") }
        return try prepare("PRAGMA wal_checkpoint(TRUNCATE)").first { row in row.integer(0) == 0 } ?? false
    }

    /// Copies the whole ledger into a file that does not exist yet, or is empty.
    func copy(to file: String) throws(EngineError) {
        LedgerFile.create(file)
        try prepare("VACUUM INTO ?").run([.text(file)])
    }
}
