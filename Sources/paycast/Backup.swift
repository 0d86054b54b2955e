internal import LedgerFiles
internal import LedgerInterface
internal import Terminal

/// Copies a ledger, even while a server uses it.
struct Backup: Command {
    static let name = "backup"

    private let files: CopiedFiles

    init(_ arguments: inout Arguments) throws(UsageError) {
        files = try CopiedFiles(&arguments, asking: "where to? paycast backup FILE")
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
