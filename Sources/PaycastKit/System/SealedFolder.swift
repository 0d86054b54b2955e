internal import Foundation

/// A folder of values, each sealed in a file of its own.
struct SealedFolder: Sendable {
    enum Found<Value> {
        case whole(Value)
        /// It was not whole, and is put aside, so that it is found once.
        case damaged
        /// It is there and cannot be read now, or a newer app wrote it. It is left alone.
        case unreadable
    }

    private static let damaged = ".damaged"
    private let url: URL

    init(_ url: URL) { self.url = url }

    /// The names in it, sorted, once what a killed process left behind is tidied up.
    func open() throws -> [String] {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        let names = try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
        for draft in names where draft.hasSuffix(AtomicFile.unfinished) {
            try? FileManager.default.removeItem(at: file(draft))
        }
        return names.filter { !$0.hasSuffix(AtomicFile.unfinished) }
    }

    func read<Value: Decodable>(_ name: String, as type: Value.Type) -> Found<Value> {
        guard let bytes = try? Data(contentsOf: file(name)) else { return .unreadable }
        do throws(Envelope.Damage) {
            return .whole(try Envelope.open(bytes, as: type))
        } catch {
            if case .newer = error { return .unreadable }
            // One damaged file of a name is kept for whoever investigates, so that damage never fills the disk.
            _ = rename(file(name).path, file(name).path + SealedFolder.damaged)
            return .damaged
        }
    }

    func write(_ value: some Encodable, as name: String) throws {
        try AtomicFile.write(Envelope.seal(value), to: file(name))
    }

    /// No error if it is gone already.
    func remove(_ name: String) throws {
        guard FileManager.default.fileExists(atPath: file(name).path) else { return }
        try FileManager.default.removeItem(at: file(name))
    }

    /// False for what a newer app wrote, and for what cannot be read now, which may be a newer app's.
    func mayReplace(_ name: String) -> Bool {
        guard FileManager.default.fileExists(atPath: file(name).path) else { return true }
        guard let bytes = try? Data(contentsOf: file(name)) else { return false }
        return (Envelope.version(of: bytes) ?? 0) <= Envelope.version
    }

    private func file(_ name: String) -> URL { url.appendingPathComponent(name) }
}
