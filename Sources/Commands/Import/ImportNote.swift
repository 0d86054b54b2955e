import APIModel
import Glibc
import Support

/// How far an import has come, in a file beside its list. Whatever ends the import, the same command goes on from there.
struct ImportNote: Codable, Equatable {
    var mark = RecordReader.Mark()
    var report = ImportReport()

    init(mark: RecordReader.Mark, report: ImportReport) {
        self.mark = mark
        self.report = report
    }

    /// Nil if the file does not exist.
    init?(_ path: String) throws(CommandFailure) {
        let bytes: [UInt8]
        do throws(SmallFileError) {
            bytes = try SmallFile.read(path)
        } catch {
            guard error.number == ENOENT else { throw CommandFailure("\(error)") }
            return nil
        }
        guard let note = JSON.decode(ImportNote.self, from: bytes) else {
            throw CommandFailure(
                "\(path) is not the note of an import: remove it, or name another file with --progress"
            )
        }
        self = note
    }

    func save(_ path: String) throws(CommandFailure) {
        do throws(SmallFileError) {
            try SmallFile.replace(path, contents: JSON.encode(self))
        } catch {
            throw CommandFailure("\(error): name another file with --progress")
        }
    }
}
