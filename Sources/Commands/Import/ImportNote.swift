import APIModel
import Domain
import Glibc
import Support

/// How far an import has come, in a file beside its list. Whatever ends the import, the same command goes on from there.
struct ImportNote: Codable, Equatable, Sendable {
    /// Who was asked: what one server has, another does not.
    var server: String
    /// With `--transfer`, which gives more.
    var isTransfer: Bool
    var mark = RecordReader.Mark()
    var report = ImportReport()

    init(server: String, isTransfer: Bool, mark: RecordReader.Mark = .init(), report: ImportReport = .init()) {
        self.server = server
        self.isTransfer = isTransfer
        self.mark = mark
        self.report = report
    }

    /// What is not as it was, so that an import may not go on: part of a sentence. Nil if all is. `begun` is the note that this
    /// import would begin with.
    func change(to begun: ImportNote) -> String? {
        let its = "its import, which came to line \(mark.line)"
        if !server.hasSameBytes(as: begun.server) { return "\(its), asked \(server)" }
        return isTransfer == begun.isTransfer ? nil : "\(its), was \(isTransfer ? "with" : "without") --transfer"
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
