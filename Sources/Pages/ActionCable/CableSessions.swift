import Crypto
import Encoding
public import Support
import Synchronization

/// A subscription of a client whose connection is gone.
public struct KeptSubscription: Sendable, Equatable {
    public let identifier: CableIdentifier
    /// The position up to which everything has certainly arrived; nil if nothing is known.
    public let arrived: Int64?

    public init(_ identifier: CableIdentifier, arrived: Int64? = nil) {
        self.identifier = identifier
        self.arrived = arrived
    }
}

/// Sessions of the extended protocol whose connections are gone. All loops of a gateway share them, since a client may
/// come back to another loop.
///
/// They live in memory: after a restart a client subscribes again, and the ledger still knows what it missed.
public final class CableSessions: Sendable {
    private struct Entry {
        let subscriptions: [KeptSubscription]
        let endsAt: MonotonicTime
        let bytes: Int
    }

    private struct Shelf {
        var entries: [String: Entry] = [:]
        /// Oldest first. May name sessions that have since been taken or kept again.
        var order: ArraySlice<(sid: String, endsAt: MonotonicTime)> = []
        var bytes = 0

        mutating func remove(_ sid: String) -> Entry? {
            guard let entry = entries.removeValue(forKey: sid) else { return nil }
            bytes -= entry.bytes
            return entry
        }

        mutating func add(_ entry: Entry, as sid: String) {
            _ = remove(sid)
            entries[sid] = entry
            bytes += entry.bytes
            order.append((sid, entry.endsAt))
        }

        /// Drops expired sessions, and the oldest ones while there are too many.
        mutating func trim(now: MonotonicTime) {
            while let (sid, endsAt) = order.first {
                let isOver = order.count > CableSessions.capacity || bytes > CableSessions.byteLimit
                guard isOver || endsAt <= now else { return }
                if entries[sid]?.endsAt == endsAt { _ = remove(sid) }
                order.removeFirst()
                // A slice keeps what was before it.
                if order.isEmpty { order = [] }
            }
        }
    }

    /// AnyCable keeps sessions for the same time (https://docs.anycable.io/anycable-go/broker).
    static let lifetimeNanoseconds: UInt64 = 300_000_000_000
    private static let capacity = 50_000
    /// About 1 KB each is usual, but one client may name 100 identifiers of 4 KB.
    static let byteLimit = 64 << 20
    /// The bytes of an entry in the two collections, besides what the client chose.
    private static let overhead = 256

    private let shelf = Mutex(Shelf())

    public init() {}

    /// The bytes of all sessions that are kept.
    var heldBytes: Int { shelf.withLock { $0.bytes } }

    /// Its connection is gone: keeps what it follows for as long as the client may come back.
    public func keep(
        _ subscriptions: [KeptSubscription],
        as sid: String,
        now: MonotonicTime = monotonicNanoseconds()
    ) {
        guard !subscriptions.isEmpty else { return }
        let entry = Entry(
            subscriptions: subscriptions,
            endsAt: now + CableSessions.lifetimeNanoseconds,
            bytes: subscriptions.reduce(CableSessions.overhead + sid.utf8.count) { $0 + $1.identifier.literal.count }
        )
        shelf.withLock { shelf in
            shelf.add(entry, as: sid)
            shelf.trim(now: now)
        }
    }

    /// Removes a session and returns what it follows, so that two connections never share one.
    public func take(_ sid: String, now: MonotonicTime = monotonicNanoseconds()) -> [KeptSubscription]? {
        guard let entry = shelf.withLock({ $0.remove(sid) }) else { return nil }
        return now < entry.endsAt ? entry.subscriptions : nil
    }

    /// 128 random bits.
    public static func newID() -> String {
        Hex.encode(randomBytes(16))
    }
}
