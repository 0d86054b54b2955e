/// The reason why the ledger did not do what it was asked to do. Safe to print.
public enum LedgerError: Error, Equatable, CustomStringConvertible {
    case cannotOpen(path: String, reason: String)
    /// The database cannot be used, or not now.
    case unreachable(reason: String)
    /// Another server uses the ledger.
    case inUse(path: String, by: LedgerHolder)
    /// A newer version of Paycast wrote this ledger.
    case newerSchema(found: Int64, supported: Int64)
    /// A commit from before the first release wrote this ledger.
    case unreleasedSchema
    /// The ledger is an unfinished copy of another one.
    case unfinishedCopy
    /// The commit was not confirmed: the disk is full, another process holds the lock, the ledger is closing, or PostgreSQL
    /// went away, perhaps after it had committed. Try again.
    case busy
    /// Something has happened to the user since whoever gave the command has looked.
    case changed
    /// Only this command failed; the others in its batch were committed.
    case failed(reason: String)

    public var description: String {
        switch self {
        case .cannotOpen(let path, let reason):
            "cannot open the ledger \(path): \(reason); check that its folder exists and is writable"
        case .unreachable(let reason): "cannot use the ledger in PostgreSQL: \(reason)"
        case .inUse(let path, let holder):
            "the ledger \(path) is in use by \(holder); stop that server, or set DATABASE_URL to another ledger"
        case .newerSchema(let found, let supported):
            "the ledger has schema \(found), this version knows \(supported); run the newer version of paycast"
        case .unreleasedSchema: "the ledger cannot be used: \(LedgerError.unreleasedSchemaAdvice)"
        case .unfinishedCopy: "the ledger cannot be used: \(UnfinishedCopy.advice)"
        case .busy: "the ledger is busy; try again"
        case .changed: "something has happened to the user meanwhile"
        case .failed(let reason): "the ledger refused a command: \(reason)"
        }
    }

    /// What is known of a server that keeps the ledger and gives no answer; nil for every other error.
    public var outage: String? {
        guard case .unreachable(let reason) = self else { return nil }
        return reason
    }

    static let unreleasedSchemaAdvice =
        "it was made before the first release, and no release reads it: set DATABASE_URL to a new ledger, and fetch what"
        + " the stores have sent with “paycast recover”"
}

/// Marks a ledger into which another one is being copied: nothing else may use it until the copy has been checked.
public enum UnfinishedCopy {
    /// A table that only such a ledger has.
    public static let table = "copying"

    public static let advice = "a copy into it is unfinished; run the same “paycast copy --from URL --to URL” again"
}
