import APIModel
import Domain
import Glibc
import Support

/// Brings subscribers along who have paid elsewhere, without their opening the app: asks the stores for each purchase of a list.
public struct Import: Command {
    public static let name = "import"
    public static let summary = "bring existing subscribers in, from a list of their purchases"
    public static let help = """
        Import the purchases that users have made before Paycast, asking the stores.

        Usage: paycast import FILE [OPTIONS]

        FILE is CSV whose first line names the columns, or a JSON object a line; “-” is
        stdin. The columns: user; store, which is \(ImportedRow.stores.joined(separator: ", ")); id, which is
        a transaction id of Apple's, a purchase token of Google's or the number of an
        order there, or a subscription's id at Stripe; and app, the bundle id, package
        or account, where several are configured.

        The server asks the store for each, and commits what it says. Pages of the
        users show it; hooks tell nobody of it. A purchase that is another user's stays
        there. Prints what has become of the rows, and on stderr each line that was not
        imported; exits 1 if there is one. Waits while the server or a store is away.

        Options:
          --transfer            give the rows' users also what others have, as far as
                                PAYCAST_TRANSFERS allows it
          --rate NUMBER         rows a second, 1 to 1000; 20 without it. A store that
                                wants a pause gets it
          --progress FILE       where it notes how far it is; FILE.progress without it.
                                The same command goes on from there
          --dry-run             read the list, and ask nobody
          --json                the counts as JSON
        \(RemoteServer.optionsHelp)

        Example: paycast import subscribers.csv
        """

    private let remote: RemoteServer
    private let file: String
    private(set) var settings = Importer.Settings()
    private let isTrial: Bool
    private let printsJSON: Bool

    public init(_ arguments: inout Arguments) throws(UsageError) {
        remote = try RemoteServer(&arguments)
        printsJSON = try arguments.flag("--json")
        isTrial = try arguments.flag("--dry-run")
        settings.isTransfer = try arguments.flag("--transfer")
        settings.rate = try arguments.number("--rate", in: 1...1000) ?? settings.rate
        let note = try arguments.option("--progress")
        guard let file = try arguments.positional() else {
            throw UsageError("which list? paycast import FILE, or “-” for stdin")
        }
        self.file = file
        settings.notePath = note ?? (file == "-" ? nil : file + ".progress")
    }

    public func run() throws(CommandFailure) -> Int32 {
        var reader = try RecordReader(try bytes())
        let columns: ImportColumns
        let header = reader.form == .csv ? try reader.next() : nil
        do throws(ImportedRow.Flaw) {
            columns = reader.form == .csv ? try ImportColumns(header: header) : .jsonLines
        } catch {
            throw CommandFailure("\(file): \(error.message)")
        }
        let report = isTrial ? try tryOut(&reader, columns: columns) : try run(&reader, columns: columns)
        let lines = isTrial ? report.lines.filter { ["rows", "not readable"].contains($0.0) } : report.lines
        if printsJSON { printJSON(JSON.encode(report)) } else { printColumns(lines) }
        let left = isTrial ? report.unread : report.rows - report.applied - report.alreadyThere
        guard left > 0 else { return 0 }
        printError("paycast: \(left) of \(report.rows) rows need somebody: above stands of each line why")
        return CommandFailure.exitCode
    }

    private func run(_ reader: inout RecordReader, columns: ImportColumns) throws(CommandFailure) -> ImportReport {
        let begun = ImportNote(server: remote.url, isTransfer: settings.isTransfer, mark: reader.mark)
        let known = try settings.notePath.flatMap { path throws(CommandFailure) in try ImportNote(path) }
        let note: ImportNote
        // Before the first row, nothing is known: the address may have been mistyped.
        if let known, known.report.rows > 0 {
            try find(known, in: &reader, begun: begun)
            note = known
            printError("paycast: going on at line \(note.mark.line), after \(note.report.rows) rows")
        } else {
            note = begun
            // Before anything is imported, rather than after an hour.
            if let path = settings.notePath { try note.save(path) }
        }
        let importer = Importer(reader, columns: columns, note: note, remote: remote, settings: settings)
        let report = try importer.run()
        if let path = settings.notePath { unlink(path) }
        return report
    }

    /// Reads on to where the import came. Throws if going on from there would leave rows out.
    private func find(_ note: ImportNote, in reader: inout RecordReader, begun: ImportNote) throws(CommandFailure) {
        var change = note.change(to: begun)
        if change == nil {
            while reader.mark != note.mark, reader.mark.line <= note.mark.line, try reader.next() != nil {}
            if reader.mark != note.mark {
                change = "it is not as it was when its import came to line \(note.mark.line)"
            }
        }
        guard let change else { return }
        let path = settings.notePath ?? ""
        throw CommandFailure("\(file): \(change): to begin again, which gives nobody anything twice, remove \(path)")
    }

    /// Only says which rows cannot be read.
    private func tryOut(_ reader: inout RecordReader, columns: ImportColumns) throws(CommandFailure) -> ImportReport {
        var report = ImportReport()
        while let record = try reader.next() {
            do throws(ImportedRow.Flaw) {
                _ = try columns.row(record)
                report.rows += 1
            } catch {
                report.add(.unread(error.message))
                printError("line \(record.line): \(error.message)")
            }
        }
        return report
    }

    private func bytes() throws(CommandFailure) -> @Sendable () throws(CommandFailure) -> [UInt8] {
        let descriptor = file == "-" ? STDIN_FILENO : open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw CommandFailure("\(file): \(String(cString: strerror(errno)))") }
        return { [file] () throws(CommandFailure) in
            guard let bytes = readSome(of: descriptor) else {
                throw CommandFailure("\(file): \(String(cString: strerror(errno)))")
            }
            return bytes
        }
    }
}
