internal import Foundation

/// A folder of values, each JSON in a file of its own, which is replaced as a whole.
struct Disk: Sendable {
    let folder: URL

    var book: Book? { get throws { try read("book") } }
    var entitlements: StoredEntitlements? { get throws { try read("entitlements") } }
    var catalog: Catalog? { get throws { try read("catalog") } }

    func save(_ book: Book) throws { try write(book, "book") }

    func save(_ catalog: Catalog) throws { try write(catalog, "catalog") }

    /// Nil after a log-out: the next user of the device must not be shown it.
    func save(_ entitlements: StoredEntitlements?) throws {
        if let entitlements { return try write(entitlements, "entitlements") }
        try FileManager.default.removeItem(at: folder.appendingPathComponent("entitlements"))
    }

    /// Nil for a file that does not exist or is broken: the store and the server tell again what was in it. Throws if the
    /// file cannot be read now, such as before the phone is first unlocked.
    private func read<Value: Decodable>(_ name: String) throws -> Value? {
        let file = folder.appendingPathComponent(name)
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        let bytes = try Data(contentsOf: file)
        return try? JSONDecoder().decode(Value.self, from: bytes)
    }

    private func write(_ value: some Encodable, _ name: String) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try JSONEncoder().encode(value).write(to: folder.appendingPathComponent(name), options: .atomic)
    }
}
