internal import Rules

/// Transactions, and the commands within one.
extension LedgerStore {
    public mutating func begin() throws(SQLiteError) {
        try statements.begin.run()
        try forget()
    }

    public func commit() throws(SQLiteError) {
        try statements.commit.run()
    }

    /// Does nothing when SQLite has rolled the transaction back already.
    public func rollback() throws(SQLiteError) {
        if connection.isInTransaction { try statements.rollback.run() }
    }

    /// From here on, `undoCommand` can undo one command without the others.
    public func beginCommand() throws(SQLiteError) {
        try statements.savepoint.run()
    }

    public func endCommand() throws(SQLiteError) {
        try statements.release.run()
    }

    /// Undoes the command that failed with `error`. Throws that error when the whole transaction has to be undone.
    public mutating func undoCommand(after error: SQLiteError) throws(SQLiteError) {
        guard connection.isInTransaction, !error.isOfTheDisk else { throw error }
        try statements.rollbackTo.run()
        try statements.release.run()
        try forget()
    }

    /// Forgets what the transaction knows: something was rolled back, or somebody else may have written.
    mutating func forget() throws(SQLiteError) {
        rows = [:]
        known = WorkingSet(head: try statements.head.first { row in row.integer(0) } ?? 0)
    }
}
