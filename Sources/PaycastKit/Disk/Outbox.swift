internal import Foundation

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

    private let files: SealedFolder

    init(folder: URL) {
        files = SealedFolder(folder)
    }

    /// Reads everything, oldest transaction first, and tidies up what a killed process left behind.
    func open() throws -> Content {
        var content = Content()
        for name in try files.open() {
            if name.hasSuffix(Outbox.transactions) {
                if let delivery = read(Delivery.self, name, content: &content) { content.deliveries.append(delivery) }
            } else if name == Outbox.orders {
                content.orders = read([PlacedOrder].self, name, content: &content) ?? []
            } else if name == Outbox.entitlements {
                content.entitlements = read(StoredEntitlements.self, name, content: &content)
            }
        }
        content.deliveries.sort { $0.version < $1.version }
        return content
    }

    private func read<Value: Decodable>(_ type: Value.Type, _ name: String, content: inout Content) -> Value? {
        switch files.read(name, as: type) {
        case .whole(let value): return value
        case .damaged: content.damaged.append(name)
        case .unreadable: content.unreadable.insert(name)
        }
        return nil
    }

    /// Another try at the orders, which could not be read when the process started. Nil if they still cannot be.
    func ordersIfReadable() -> [PlacedOrder]? {
        if case .whole(let orders) = files.read(Outbox.orders, as: [PlacedOrder].self) { orders } else { nil }
    }

    func keep(_ delivery: Delivery) throws {
        try files.write(delivery, as: Outbox.name(of: delivery.version))
    }

    func drop(_ version: TransactionVersion) throws {
        try files.remove(Outbox.name(of: version))
    }

    func save(_ orders: [PlacedOrder]) throws {
        try files.write(orders, as: Outbox.orders)
    }

    /// Nil after a log-out: it removes the file whoever wrote it, since the next user of the device must not be shown it.
    ///
    /// An answer replaces what is damaged, which the server has told anew. It does not replace what a newer app wrote, which
    /// may hold more than this one knows, nor what cannot be read now and may be a newer app's. Then there is no cache.
    func save(_ entitlements: StoredEntitlements?) throws {
        guard let entitlements else { return try files.remove(Outbox.entitlements) }
        guard files.mayReplace(Outbox.entitlements) else { return }
        try files.write(entitlements, as: Outbox.entitlements)
    }

    static func name(of version: TransactionVersion) -> String {
        "\(version.id)-\(version.signedAt)" + transactions
    }
}
