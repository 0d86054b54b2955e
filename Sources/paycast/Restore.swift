import Commands
import Ledger

/// Puts a copy in the ledger's place while no server runs.
struct Restore: Command {
    static let name = "restore"
    static let summary = "replace the ledger with a backup"
    static let help = """
        Replace the ledger with a backup, while no server runs on it.

        Usage: paycast restore FILE [OPTIONS]

        The ledger gets a new epoch: pages that come with an older cursor are sent the
        newest state, and “tail” reports that its cursor no longer applies. Events that
        came after the backup are missing: “paycast recover” fetches them from stores
        that keep a history. The previous ledger is kept beside it as ….before-restore.
        The server keeps back what goes out until “paycast release”: the ledger from
        which the backup was made may still be served elsewhere.

        Options:
          --database URL        DATABASE_URL, sqlite:paycast.db

        Example: paycast restore /backups/paycast.db
        """

    private let files: CopiedFiles

    init(_ arguments: inout Arguments) throws(UsageError) {
        files = try CopiedFiles(&arguments, asking: "which backup? paycast restore FILE")
    }

    func run() throws -> Int32 {
        let (copy, former) = try LedgerBackup.restore(files.copy, to: files.ledger)
        printText("\(files.ledger): restored up to position \(copy.position), with the new epoch \(copy.epoch)")
        if let former { printText("the previous ledger is \(former)") }
        printText("what goes out is held until: paycast release")
        return 0
    }
}
