internal import Commands
internal import Ledger

/// Puts a copy in the ledger's place while no server runs.
struct Restore: Command {
    static let name = "restore"

    private let files: CopiedFiles

    init(_ arguments: inout Arguments) throws(UsageError) {
        files = try CopiedFiles(&arguments, asking: "which backup? paycast restore FILE")
    }

    func run() throws(CommandFailure) -> Int32 {
        do throws(LedgerBackupError) {
            let (copy, former) = try LedgerBackup.restore(files.copy, to: files.ledger)
            printText("\(files.ledger): restored up to position \(copy.position), with the new epoch \(copy.epoch)")
            if let former { printText("the previous ledger is \(former)") }
            return 0
        } catch {
            throw CommandFailure("\(error)")
        }
    }
}
