internal import Cable
internal import Runtime
internal import Synchronization

/// Sessions of the extended protocol whose connection is gone, for the loops of a gateway: the client may come back to
/// another one.
///
/// They live in memory: after a restart a client subscribes anew, and the ledger still knows what it missed.
final class CableSessions: Sendable {
    private struct Entry {
        var identifiers: [CableIdentifier]
        var endsAt: UInt64
    }

    private struct Shelf {
        var entries: [String: Entry] = [:]
        /// Oldest first; may name sessions that were taken.
        var order: [String] = []
    }

    /// AnyCable keeps them as long (https://docs.anycable.io/anycable-go/broker).
    private static let lifetimeNanoseconds: UInt64 = 300_000_000_000
    /// About 1 KB each.
    private static let capacity = 50_000

    private let shelf = Mutex(Shelf())

    func keep(_ identifiers: [CableIdentifier], as sid: String) {
        guard !identifiers.isEmpty else { return }
        let entry = Entry(
            identifiers: identifiers,
            endsAt: monotonicNanoseconds() + CableSessions.lifetimeNanoseconds
        )
        shelf.withLock { shelf in
            shelf.entries[sid] = entry
            shelf.order.append(sid)
            guard shelf.order.count > CableSessions.capacity else { return }
            // In bulk, so that one more session does not move the whole list.
            for old in shelf.order.prefix(CableSessions.capacity / 10) { shelf.entries[old] = nil }
            shelf.order.removeFirst(CableSessions.capacity / 10)
        }
    }

    /// Once only: two connections never share a session.
    func take(_ sid: String) -> [CableIdentifier]? {
        guard let entry = shelf.withLock({ $0.entries.removeValue(forKey: sid) }) else { return nil }
        return monotonicNanoseconds() < entry.endsAt ? entry.identifiers : nil
    }

    /// 128 random bits.
    static func newID() -> String {
        (0..<2).map { _ in
            let number = String(UInt64.random(in: .min ... .max), radix: 16)
            return String(repeating: "0", count: 16 - number.count) + number
        }.joined()
    }
}
