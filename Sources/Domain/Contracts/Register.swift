/// A value and the date of the statement that it comes from. Only a newer statement replaces it; among equal dates, the
/// greater value wins.
public struct Register<Value: Sendable & Hashable & CustomStringConvertible>: Sendable, Hashable, Comparable {
    public var value: Value
    public var signedAt: Instant

    public init(_ value: Value, at signedAt: Instant) {
        self.value = value
        self.signedAt = signedAt
    }

    public static func < (left: Register, right: Register) -> Bool {
        guard left.signedAt == right.signedAt else { return left.signedAt < right.signedAt }
        return left.value.description < right.value.description
    }
}

/// The newest snapshot: by signed date, then longer access, then revocation, then event id.
public struct SnapshotRegister: Sendable, Equatable, Comparable {
    public var snapshot: Snapshot
    public var event: String

    /// An app has posted it, and Apple has signed its parts and not its status.
    var isPosted: Bool { event.utf8.starts(with: SnapshotRegister.postedPrefix.utf8) }

    /// Of the ids of what apps post.
    public static let postedPrefix = "client:"

    public init(_ snapshot: Snapshot, event: String) {
        self.snapshot = snapshot
        self.event = event
    }

    /// A snapshot already takes into account the transaction that it came with, even when the store signed that
    /// transaction a few milliseconds later.
    init(_ snapshot: Snapshot, beside transaction: Transaction?, event: String) {
        self.init(snapshot, event: event)
        self.snapshot.signedAt = max(snapshot.signedAt, transaction?.signedAt ?? snapshot.signedAt)
    }

    public static func < (left: SnapshotRegister, right: SnapshotRegister) -> Bool {
        (left.snapshot.signedAt, left.end, left.weight, left.event)
            < (right.snapshot.signedAt, right.end, right.weight, right.event)
    }

    private var end: Instant { snapshot.accessUntil ?? Instant(milliseconds: .min) }

    /// Stripe signs in whole seconds, so that `incomplete` and `active` of one purchase can carry the same date.
    private var weight: Int {
        switch snapshot.state {
        case .revoked: 2
        case .pending: 0
        default: 1
        }
    }
}

/// The newest version of the newest charge: by purchase date and id, then in the same way as snapshots.
public struct ChargeRegister: Sendable, Equatable, Comparable {
    public var transaction: Transaction
    public var event: String

    /// An app has posted it.
    var isPosted: Bool { event.utf8.starts(with: SnapshotRegister.postedPrefix.utf8) }

    public init(_ transaction: Transaction, event: String) {
        self.transaction = transaction
        self.event = event
    }

    public static func < (left: ChargeRegister, right: ChargeRegister) -> Bool {
        let a = left.transaction
        let b = right.transaction
        guard (a.purchasedAt, a.id) == (b.purchasedAt, b.id) else {
            // Google numbers the charges of one purchase: `GPA.1..9`, `GPA.1..10`.
            return (a.purchasedAt, a.id.utf8.count, a.id) < (b.purchasedAt, b.id.utf8.count, b.id)
        }
        return (a.signedAt, left.end, left.weight, left.event) < (b.signedAt, right.end, right.weight, right.event)
    }

    private var end: Instant { transaction.expiresAt ?? Instant(milliseconds: .min) }

    private var weight: Int { transaction.revokedAt == nil ? 0 : 1 }
}
