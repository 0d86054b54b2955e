/// One committed row at its position in the ledger: what `tail` shows and what pages receive.
public struct Entry: Sendable, Equatable {
    /// The number after the epoch in its cursor; it only grows.
    public var position: Int64
    public var committedAt: Instant
    public var notice: Notice
    /// In the order in which they apply; empty when nothing on a page changes.
    public var fragments: [Fragment]

    public init(position: Int64, committedAt: Instant, notice: Notice, fragments: [Fragment]) {
        self.position = position
        self.committedAt = committedAt
        self.notice = notice
        self.fragments = fragments
    }
}

/// An entry as developers see it: names and states, never a payload or a secret.
public struct Notice: Sendable, Equatable {
    public var kind: EventKind
    public var provider: Provider?
    public var environment: StoreEnvironment?
    public var type: String?
    public var subtype: String?
    /// The store's event id.
    public var event: String?
    public var outcome: Outcome?
    public var user: UserID?
    /// The store's lineage id.
    public var contract: String?
    public var order: OrderToken?
    /// The order's, as it is now.
    public var context = OrderContext.none
    public var product: String?
    public var previousState: ContractState?
    public var state: ContractState?
    public var accessUntil: Instant?
    /// The charge that it told of first, or whose refund.
    public var charge: NoticedCharge?
    /// What the user has afterwards, whatever the product opens, the main entitlement first.
    public var entitlements: [EntitlementSummary]?
    /// Whether it is the main one.
    public var active: Bool? { entitlements?.first?.isActive }

    public init(kind: EventKind) {
        self.kind = kind
    }

    /// Nil unless a store sent the event.
    public var eventKey: EventKey? {
        guard let event, let provider, let environment else { return nil }
        return EventKey(id: event, provider: provider, environment: environment)
    }
}

/// An opaque, printable position in the ledger: `EPOCH-POSITION`. The epoch belongs to the ledger, not to the process.
public struct Cursor: Hashable, Sendable, LosslessStringConvertible {
    public let epoch: String
    /// The entry's; 0 is before the first one.
    public let position: Int64

    public init(epoch: String, position: Int64) {
        self.epoch = epoch
        self.position = position
    }

    public init?(_ description: String) {
        let parts = description.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...16).contains(parts[0].utf8.count),
            parts[0].utf8.allSatisfy({ $0.isDigit || $0.isLower }),
            (1...19).contains(parts[1].utf8.count), parts[1].utf8.allSatisfy(\.isDigit),
            let position = Int64(parts[1])
        else { return nil }
        self.init(epoch: String(parts[0]), position: position)
    }

    public var description: String { "\(epoch)-\(position)" }
}

/// The point after which a page has missed something.
public enum MissedSince: Sendable, Hashable {
    /// The page has seen nothing.
    case nothing
    case cursor(Cursor)
    /// The page has seen what was committed before this instant.
    case time(Instant)

    public init(_ cursor: Cursor?) { self = cursor.map { .cursor($0) } ?? .nothing }
}

extension Cursor {
    /// 41 random bits, because cursors of another ledger must not pass for this one's.
    public static func newEpoch() -> String {
        let alphabet = Array("0123456789abcdefghijklmnopqrstuvwxyz")
        return String((0..<8).map { _ in alphabet[Int.random(in: 0..<36)] })
    }
}
