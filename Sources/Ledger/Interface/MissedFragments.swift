public import Domain

/// The fragments that a page has missed.
public struct MissedFragments: Sendable, Equatable {
    public enum Mode: Sendable, Equatable {
        /// Everything after the cursor, in order.
        case exact
        /// The newest fragment of each target.
        case newest
    }

    /// The newest position when this was read. Newer fragments arrive live.
    public var through: Cursor
    /// In commit order.
    public var items: [MissedItem]
    public var mode: Mode
    /// True if fragments were left out that no newer one replaces: the page needs a `refresh`.
    public var isTruncated: Bool
    /// The position of the newest fragment after the cursor, even if `items` leaves it out. Nil if no fragment is newer
    /// than the cursor, or if `items` has all that are.
    public var newest: Int64?
    /// The position after the cursor at which the ledger noted that an app's broadcasts were lost: the page needs a
    /// `refresh`. Nil if none were lost.
    public var lost: Int64?
    /// True if the cursor belongs to another ledger, or lies in the future. If there are no items, the page then needs
    /// a `refresh`.
    public var isUnknownCursor: Bool

    /// True if something that the page missed can no longer be sent.
    public var needsRefresh: Bool { isTruncated || (isUnknownCursor && items.isEmpty) }
}

/// Fragments that were committed together.
public struct MissedItem: Sendable, Equatable {
    public var position: Int64
    public var fragments: [Fragment]
}
