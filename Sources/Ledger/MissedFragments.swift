public import Domain

/// What a page has missed.
public struct MissedFragments: Sendable, Equatable {
    public enum Mode: Sendable, Equatable {
        /// Everything after the cursor, in order.
        case exact
        /// The newest fragment of each target.
        case newest
    }

    /// The newest position when it was read: what is newer arrives live.
    public var through: Cursor
    /// In commit order.
    public var items: [MissedItem]
    public var mode: Mode
    /// Fragments that no newer one makes superfluous were left out: the page needs a `refresh`.
    public var isTruncated: Bool
    /// Where the newest fragment after the cursor is, left out or not; nil: nowhere, or all are in `items`.
    public var newest: Int64?
    /// Where it was noticed, after the cursor, that an app's broadcasts were lost: the page needs a `refresh`. Nil: nowhere.
    public var lost: Int64?
    /// The cursor is of another ledger, or from the future: with no items, the page needs a `refresh`.
    public var isUnknownCursor: Bool
}

/// From where a page has missed something.
public enum MissedSince: Sendable, Equatable {
    /// It has seen nothing.
    case nothing
    case cursor(Cursor)
    /// It has seen what was committed before this instant.
    case time(Instant)

    public init(_ cursor: Cursor?) {
        self = cursor.map { .cursor($0) } ?? .nothing
    }
}

/// Fragments that were committed together.
public struct MissedItem: Sendable, Equatable {
    public var position: Int64
    public var fragments: [Fragment]

    public init(position: Int64, fragments: [Fragment]) {
        self.position = position
        self.fragments = fragments
    }
}

/// What a user holds, and where to resume from.
public struct UserEntitlements: Sendable, Equatable {
    public var isActive: Bool
    /// The one that speaks for the user first; those that the policy does not honour last; the newest 100 consumables.
    public var entitlements: [Entitlement]
    public var since: Cursor
}
