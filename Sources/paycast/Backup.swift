import Commands
import Ledger

/// Copies a ledger, even while a server uses it.
struct Backup: Command {
    static let name = "backup"

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

/// Puts a copy in the ledger's place while no server runs.
struct Restore: Command {
    static let name = "restore"

    private let files: CopiedFiles

    init(_ arguments: inout Arguments) throws(UsageError) {
        files = try CopiedFiles(&arguments, asking: "which backup? paycast restore FILE")
    }

    func run() throws -> Int32 {
        let (copy, former) = try LedgerBackup.restore(files.copy, to: files.ledger)
        printText("\(files.ledger): restored up to position \(copy.position), with the new epoch \(copy.epoch)")
        if let former { printText("the previous ledger is \(former)") }
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
