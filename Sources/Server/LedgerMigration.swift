import Domain
public import Ledger

/// Brings a ledger's tables up to date without a server, as a platform does before it starts the new version.
public enum LedgerMigration {
    /// Creates the ledger if it does not exist. Throws if a server uses its file, or if a newer version wrote it.
    public static func run(_ database: DatabaseURL) throws(LedgerError) {
        let policy = AccessPolicy(sandboxUsers: .only([]))
        switch database {
        case .sqlite(let path):
            let lock = try LedgerLock(path: path)
            defer { withExtendedLifetime(lock) {} }
            _ = try OpenedLedger.engine(database).openRepository(policy: policy, streams: .standard)
        // Opening the ledger migrates it.
        case .postgres: _ = try OpenedLedger.engine(database)
        }
    }
}
