internal import Foundation

/// Replaces files so that a kill at any byte leaves the old content or the new one, never a mixture.
enum AtomicFile {
    /// The part of the name of a file that is not in place yet. Whoever opens the folder may remove such files.
    static let unfinished = ".unfinished"

    static func write(_ bytes: Data, to file: URL) throws {
        let draft = file.appendingPathExtension(String(unfinished.dropFirst()))
        guard FileManager.default.createFile(atPath: draft.path, contents: nil) else {
            throw CocoaError(.fileWriteUnknown)
        }
        let handle = try FileHandle(forWritingTo: draft)
        do {
            try handle.write(contentsOf: bytes)
            // Without it, a power cut after the rename could leave an empty file under the final name.
            try handle.synchronize()
            try handle.close()
        } catch {
            try? handle.close()
            throw error
        }
        guard rename(draft.path, file.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }
}
