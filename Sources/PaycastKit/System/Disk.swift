internal import Foundation

/// A folder of values, each JSON in a file of its own, which is replaced as a whole.
struct Disk: Sendable {
    private let folder: URL

    init(_ folder: URL) {
        self.folder = folder
    }

    /// Nil for a file that does not exist or is broken: the store and the server tell again what was in it. Throws if the
    /// file cannot be read now, such as before the phone is first unlocked.
    func read<Value: Decodable>(_ type: Value.Type, _ name: String) throws -> Value? {
        guard FileManager.default.fileExists(atPath: file(name).path) else { return nil }
        let bytes = try Data(contentsOf: file(name))
        return try? JSONDecoder().decode(type, from: bytes)
    }

    func write(_ value: some Encodable, _ name: String) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try JSONEncoder().encode(value).write(to: file(name), options: .atomic)
    }

    /// No error if it is gone already.
    func remove(_ name: String) throws {
        guard FileManager.default.fileExists(atPath: file(name).path) else { return }
        try FileManager.default.removeItem(at: file(name))
    }

    private func file(_ name: String) -> URL { folder.appendingPathComponent(name) }
}

extension Disk {
    var book: Book? { get throws { try read(Book.self, "book") } }
    var entitlements: StoredEntitlements? { get throws { try read(StoredEntitlements.self, "entitlements") } }

    func save(_ book: Book) throws { try write(book, "book") }

    /// Nil after a log-out: the next user of the device must not be shown it.
    func save(_ entitlements: StoredEntitlements?) throws {
        if let entitlements { try write(entitlements, "entitlements") } else { try remove("entitlements") }
    }
}
