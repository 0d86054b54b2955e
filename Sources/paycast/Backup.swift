internal import Ledger

/// Copies a ledger, also while a server works with it.
struct Backup: Command {
    static let name = "backup"

    private let path: String
    private let file: String

    init(_ arguments: inout Arguments) throws(UsageError) {
        path = try ledgerPath(&arguments)
        guard let file = try arguments.positional() else { throw UsageError("where to? paycast backup FILE") }
        self.file = file
    }

    func run() throws(CommandFailure) -> Int32 {
        do throws(LedgerCopyError) {
            let copy = try LedgerCopy.backup(of: path, to: file)
            printText("\(file): \(copy.bytes) bytes, up to \(copy.epoch)-\(copy.position), read again and whole")
            return 0
        } catch {
            throw CommandFailure("\(error)")
        }
    }
}

/// Puts a copy in the ledger's place, while no server runs.
struct Restore: Command {
    static let name = "restore"

    private let path: String
    private let file: String

    init(_ arguments: inout Arguments) throws(UsageError) {
        path = try ledgerPath(&arguments)
        guard let file = try arguments.positional() else { throw UsageError("which backup? paycast restore FILE") }
        self.file = file
    }

    func run() throws(CommandFailure) -> Int32 {
        do throws(LedgerCopyError) {
            let (copy, former) = try LedgerCopy.restore(file, to: path)
            printText("\(path): restored up to position \(copy.position), with the new epoch \(copy.epoch)")
            if let former { printText("the ledger that was there is \(former)") }
            return 0
        } catch {
            throw CommandFailure("\(error)")
        }
    }
}

/// `--database`, else `DATABASE_URL`, else the server's default.
private func ledgerPath(_ arguments: inout Arguments) throws(UsageError) -> String {
    let flag = try arguments.option("--database")
    let variable = processEnvironment()["DATABASE_URL"].flatMap { $0.isEmpty ? nil : $0 }
    do throws(DatabaseURL.Failure) {
        return try DatabaseURL(flag ?? variable ?? "sqlite:paycast.db").path
    } catch {
        throw UsageError("\(flag == nil ? "DATABASE_URL" : "--database") \(error)")
    }
}
