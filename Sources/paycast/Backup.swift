import Commands
import Ledger

/// Copies a ledger, even while a server uses it.
struct Backup: Command {
    static let name = "backup"
    static let summary = "copy a ledger into one file, even while a server uses it"
    static let help = """
        Copy a ledger into one file, even while a server uses it.

        Usage: paycast backup FILE [OPTIONS]

        The copy is consistent. It is read back from the first page to the last, and
        then renamed in one step: FILE is the older backup or the new one, never half
        of one. Only an older backup is ever replaced.

        Options:
          --database URL        DATABASE_URL, sqlite:paycast.db

        Example: paycast backup /backups/paycast.db
        """

    private let files: CopiedFiles

    init(_ arguments: inout Arguments) throws(UsageError) {
        files = try CopiedFiles(&arguments, asking: "where to? paycast backup FILE")
    }

    func run() throws -> Int32 {
        let copy = try LedgerBackup.backup(of: files.ledger, to: files.copy)
        printText("\(files.copy): \(copy.bytes) bytes, up to \(copy.epoch)-\(copy.position), read back and intact")
        return 0
    }
}

/// The two files of a backup or a restoration: the ledger, and its copy.
struct CopiedFiles {
    let ledger: String
    let copy: String

    /// The copy is the next word. Without it, `question` is the error.
    init(_ arguments: inout Arguments, asking question: String) throws(UsageError) {
        guard case .sqlite(let path) = try DatabaseURL(&arguments) else {
            throw UsageError(
                "a ledger in PostgreSQL is copied and restored with PostgreSQL's own pg_dump and pg_restore"
            )
        }
        ledger = path
        guard let copy = try arguments.positional() else { throw UsageError(question) }
        self.copy = copy
    }
}

extension DatabaseURL {
    /// The ledger that a command works on: `--database`, else `DATABASE_URL`, else the server's default.
    init(_ arguments: inout Arguments) throws(UsageError) {
        let flag = try arguments.option("--database")
        let variable = processEnvironment()["DATABASE_URL"].flatMap { $0.isEmpty ? nil : $0 }
        do throws(DatabaseURL.Failure) {
            self = try DatabaseURL(flag ?? variable ?? "sqlite:paycast.db")
        } catch {
            throw UsageError("\(flag == nil ? "DATABASE_URL" : "--database") \(error)")
        }
    }
}
