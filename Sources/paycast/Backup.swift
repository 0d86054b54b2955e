internal import LedgerFiles
internal import LedgerInterface
internal import Terminal

/// Copies a ledger, even while a server uses it.
struct Backup: Command {
    static let name = "backup"

    private let files: LedgerFiles

    init(_ arguments: inout Arguments) throws(UsageError) {
        files = try LedgerFiles(&arguments, asking: "where to? paycast backup FILE")
    }

    func run() throws(CommandFailure) -> Int32 {
        do throws(LedgerCopyError) {
            let copy = try LedgerCopy.backup(of: files.ledger, to: files.copy)
            printText("\(files.copy): \(copy.bytes) bytes, up to \(copy.epoch)-\(copy.position), read back and intact")
            return 0
        } catch {
            throw CommandFailure("\(error)")
        }
    }
}

/// Puts a copy in the ledger's place while no server runs.
struct Restore: Command {
    static let name = "restore"

    private let files: LedgerFiles

    init(_ arguments: inout Arguments) throws(UsageError) {
        files = try LedgerFiles(&arguments, asking: "which backup? paycast restore FILE")
    }

    func run() throws(CommandFailure) -> Int32 {
        do throws(LedgerCopyError) {
            let (copy, former) = try LedgerCopy.restore(files.copy, to: files.ledger)
            printText("\(files.ledger): restored up to position \(copy.position), with the new epoch \(copy.epoch)")
            if let former { printText("the previous ledger is \(former)") }
            return 0
        } catch {
            throw CommandFailure("\(error)")
        }
    }
}

/// The files that both commands take.
private struct LedgerFiles {
    let ledger: String
    let copy: String

    /// The ledger is `--database`, else `DATABASE_URL`, else the server's default; the copy is the next word. Without
    /// that word, `question` is the error.
    init(_ arguments: inout Arguments, asking question: String) throws(UsageError) {
        let flag = try arguments.option("--database")
        let variable = processEnvironment()["DATABASE_URL"].flatMap { $0.isEmpty ? nil : $0 }
        do throws(DatabaseURL.Failure) {
            ledger = try DatabaseURL(flag ?? variable ?? "sqlite:paycast.db").path
        } catch {
            throw UsageError("\(flag == nil ? "DATABASE_URL" : "--database") \(error)")
        }
        guard let copy = try arguments.positional() else { throw UsageError(question) }
        self.copy = copy
    }
}
