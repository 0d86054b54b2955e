internal import Foundation
internal import PaycastKitSystem

/// What has to survive the process: each transaction on its way in a file of its own, the orders, and the last known
/// entitlements. A lost file is a delay and no loss: the store keeps a transaction until it is finished.
struct Outbox: Sendable {
    /// What was found at the start of the process.
    struct Content: Sendable {
        var deliveries: [Delivery] = []
        var orders: [PlacedOrder] = []
        var entitlements: StoredEntitlements?
        /// Names of files that are not whole. They are put aside, so that each is reported once.
        var damaged: [String] = []
        /// Names of files that are there and cannot be read now, or that a newer app wrote. They are left alone.
        var unreadable: Set<String> = []
    }

    private static let transactions = ".transaction"
    static let orders = "orders"
    private static let entitlements = "entitlements"
    private static let damaged = ".damaged"

    private let folder: URL

    init(folder: URL) {
        self.folder = folder
    }

    /// Reads everything, oldest transaction first, and tidies up what a killed process left behind.
    func open() throws -> Content {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var content = Content()
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        for name in names {
            let file = folder.appendingPathComponent(name)
            if name.hasSuffix(AtomicFile.unfinished) {
                try? FileManager.default.removeItem(at: file)
            } else if name.hasSuffix(Outbox.transactions) {
                if let delivery = read(Delivery.self, at: file, content: &content) {
                    content.deliveries.append(delivery)
                }
            } else if name == Outbox.orders {
                content.orders = read([PlacedOrder].self, at: file, content: &content) ?? []
            } else if name == Outbox.entitlements {
                content.entitlements = read(StoredEntitlements.self, at: file, content: &content)
            }
        }
        content.deliveries.sort { $0.version < $1.version }
        return content
    }

    /// Another try at the orders, which could not be read when the process started. Nil if they still cannot be.
    func ordersIfReadable() -> [PlacedOrder]? {
        var content = Content()
        return read([PlacedOrder].self, at: folder.appendingPathComponent(Outbox.orders), content: &content)
    }

    func keep(_ delivery: Delivery) throws {
        try write(delivery, as: Outbox.name(of: delivery.version))
    }

    func drop(_ version: TransactionVersion) throws {
        try remove(Outbox.name(of: version))
    }

    func save(_ orders: [PlacedOrder]) throws {
        try write(orders, as: Outbox.orders)
    }

    /// Nil after a log-out: it removes the file whoever wrote it, since the next user of the device must not be shown it.
    ///
    /// An answer replaces what is damaged, which the server has told anew. It does not replace what a newer app wrote, which
    /// may hold more than this one knows, nor what cannot be read now and may be a newer app's. Then there is no cache.
    func save(_ entitlements: StoredEntitlements?) throws {
        guard let entitlements else { return try remove(Outbox.entitlements) }
        guard mayReplaceEntitlements else { return }
        try write(entitlements, as: Outbox.entitlements)
    }

    private var mayReplaceEntitlements: Bool {
        let file = folder.appendingPathComponent(Outbox.entitlements)
        guard FileManager.default.fileExists(atPath: file.path) else { return true }
        guard let bytes = try? Data(contentsOf: file) else { return false }
        do throws(Envelope.Damage) {
            _ = try Envelope.open(bytes, as: StoredEntitlements.self)
            return true
        } catch {
            if case .newer = error { return false }
            return true
        }
    }

    private func remove(_ name: String) throws {
        let file = folder.appendingPathComponent(name)
        guard FileManager.default.fileExists(atPath: file.path) else { return }
        try FileManager.default.removeItem(at: file)
    }

    private func write(_ value: some Encodable, as name: String) throws {
        try AtomicFile.write(Envelope.seal(value), to: folder.appendingPathComponent(name))
    }

    private func read<Value: Decodable>(_ type: Value.Type, at file: URL, content: inout Content) -> Value? {
        guard let bytes = try? Data(contentsOf: file) else {
            content.unreadable.insert(file.lastPathComponent)
            return nil
        }
        do throws(Envelope.Damage) {
            return try Envelope.open(bytes, as: type)
        } catch {
            if case .newer = error {
                content.unreadable.insert(file.lastPathComponent)
                return nil
            }
            content.damaged.append(file.lastPathComponent)
            putAside(file)
            return nil
        }
    }

    /// One damaged file of a name is kept for whoever investigates, so that damage never fills the disk.
    private func putAside(_ file: URL) {
        _ = rename(file.path, file.path + Outbox.damaged)
    }

    static func name(of version: TransactionVersion) -> String {
        "\(version.id)-\(version.signedAt)" + transactions
    }
}
