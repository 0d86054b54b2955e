public import Domain

/// Opens a ledger: once for the thread that writes, and once for the thread that reads.
public protocol LedgerEngine: Sendable {
    /// Creates the ledger if it does not exist, and brings its tables up to date.
    func openRepository(policy: AccessPolicy, streams: StreamPattern) throws(LedgerError) -> LedgerRepository
    /// Call it after the store is open.
    func openQueries(policy: AccessPolicy, streams: StreamPattern) throws(LedgerError) -> LedgerQueries
}
