public import Domain

/// What is known of a user's purchases, the newest first; a part of it.
public struct UserEvents: Sendable, Equatable {
    public var events: [UserEvent]
    /// Where the next part begins: before this one; nil after the last.
    public var next: Cursor?
    /// The newest position of all when it was read.
    public var head: Cursor
}

public struct UserEvent: Sendable, Equatable {
    public var entry: Entry
    /// Of what a store said; nil for what the ledger committed by itself.
    public var dates: EventDates?
}

public struct EventDates: Sendable, Equatable {
    /// By the store's own date.
    public var occurredAt: Instant
    public var receivedAt: Instant
}
