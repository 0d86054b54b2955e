public import LedgerInterface
internal import Rules

/// Transactions, and the commands within one.
extension LedgerRepository {
    public mutating func begin() throws(EngineError) {
        try connection.begin()
        unclaimed = nil
        entriesAt = nil
        try forget()
    }

    /// True if work done under `lease` may be committed in this transaction.
    public func holds(_ lease: Lease) throws(EngineError) -> Bool { try connection.holds(lease) }

    public func commit() throws(EngineError) {
        try connection.commit(head: known.head, entriesAt: entriesAt)
    }

    /// Does nothing if the engine has already rolled the transaction back.
    public func rollback() throws(EngineError) {
        try connection.rollback()
    }

    /// From here on, `undoCommand` can undo one command without the others.
    public func beginCommand() throws(EngineError) {
        try statements.savepoint.run()
    }

    public func endCommand() throws(EngineError) {
        try connection.confirmStatements()
        try statements.release.run()
    }

    /// Undoes the command that failed with `error`. Throws that error if the whole transaction has to be undone.
    public mutating func undoCommand(after error: EngineError) throws(EngineError) {
        guard connection.isInTransaction, !error.failsTransaction else { throw error }
        try statements.rollbackTo.run()
        try statements.release.run()
        try forget()
    }

    /// Discards what is known in the transaction: something was rolled back, or somebody else may have written.
    mutating func forget() throws(EngineError) {
        stored.forget()
        lastContract = nil
        ended = nil
        broadcasts = [:]
        known = IdentityMap(stored, head: try connection.head())
    }
}
