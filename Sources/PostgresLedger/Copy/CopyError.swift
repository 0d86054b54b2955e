public import Ledger

/// The reason why a ledger was not copied. Safe to print; each text says what to do.
public enum CopyError: Error, Equatable, CustomStringConvertible {
    case unreadableURL(String)
    case missing(String)
    case notALedger(String)
    case sameLedger(String)
    /// This version does not know the ledger's tables.
    case refused(String, LedgerError)
    case unfinishedSource(String)
    case served(String, by: String)
    /// The target holds a ledger.
    case occupied(String, head: String)
    /// A value that SQLite holds and PostgreSQL cannot, with its place.
    case unreadableText(String)
    /// A key with U+0000, which the target cannot hold: with a substitute, it would sort elsewhere among the keys.
    case zeroByteInKey(String, column: String)
    case takenOver(String)
    case sourceChanged(String)
    case different(String)
    case engine(String, reason: String)
    case ledger(LedgerError)

    public var description: String {
        switch self {
        case .unreadableURL(let problem): problem
        case .missing(let name): "there is no ledger at \(name): check --from"
        case .notALedger(let name): "\(name) is damaged, or not a ledger: check the path"
        case .sameLedger(let name): "\(name) is the source and the target: name another --to"
        case .refused(let name, let error): "\(name): \(error)"
        case .unfinishedSource(let name): "\(name) cannot be copied: \(UnfinishedCopy.advice)"
        case .served(let name, let servers): "\(name) is in use by \(servers): stop that first"
        case .occupied(let name, let head):
            "\(name) already holds a ledger, up to \(head): name another --to, or remove that ledger"
        case .unreadableText(let place): "\(place) is not UTF-8, so it was not written by paycast: repair it there"
        case .zeroByteInKey(let place, let column):
            """
            \(place) has U+0000 in a key, which PostgreSQL cannot store: remove such rows there, or change them \
            (WHERE instr("\(column)", char(0)) > 0)
            """
        case .takenOver(let name): "another “paycast copy” writes to \(name): let that one finish"
        case .sourceChanged(let name):
            "\(name) changed while it was copied: stop whatever writes it, and run the same command again"
        case .different(let what): "the copy differs from its source, so nothing of it was kept: \(what)"
        case .engine(let name, let reason): "\(name): \(reason)"
        case .ledger(let error): error.description
        }
    }
}
