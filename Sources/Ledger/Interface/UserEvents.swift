public import Domain

/// One page of what is known about a user's purchases, newest first.
public struct UserEvents: Sendable, Equatable {
    public var events: [UserEvent]
    /// The cursor of the next page, which holds everything before it; nil on the last page.
    public var next: Cursor?
    /// The ledger's newest position when the page was read.
    public var head: Cursor
}

public struct UserEvent: Sendable, Equatable {
    public var entry: Entry
    /// The dates in a store's event; nil for an entry that the ledger committed by itself.
    public var dates: EventDates?
    /// The body that the store sent, if it was asked for and is kept.
    public var body: [UInt8]?
}

public struct EventDates: Sendable, Equatable {
    /// By the store's own date.
    public var occurredAt: Instant
    public var receivedAt: Instant
}
