/// Why a ledger was not copied. Whatever was there before is still there. Safe to print.
public enum LedgerBackupError: Error, Equatable, CustomStringConvertible {
    case noLedger(String)
    /// A file would be copied to itself.
    case sameFile(String)
    /// The file that would be replaced is something else.
    case notABackup(String)
    case cannotCopy(String, reason: String)
    case cannotWrite(String, reason: String)
    /// The copy does not hold what it should.
    case unsound(String, reason: String)
    case ledger(LedgerError)

    public var description: String {
        switch self {
        case .noLedger(let path): "there is no ledger at \(path): check the path"
        case .sameFile(let file): "\(file) is the ledger itself: name another file"
        case .notABackup(let file): "\(file) exists and is not a backup of a ledger: name another file, or remove it"
        case .cannotCopy(let path, let reason): "\(path) cannot be copied: \(reason)"
        case .cannotWrite(let file, let reason): "\(file) cannot be written: \(reason)"
        case .unsound(let path, let reason): "\(path) cannot be used, nothing was changed: \(reason)"
        case .ledger(let error): error.description
        }
    }
}
