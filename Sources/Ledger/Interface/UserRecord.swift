public import Domain

/// Everything that is known about a user now. `UserEvents` has the history.
public struct UserRecord: Sendable, Equatable {
    /// The language that the user reads; nil if no app has set it.
    public var language: LanguageTag?
    public var isActive: Bool
    /// In the order of `UserEntitlements`.
    public var contracts: [ContractRecord]
    /// The newest 100, newest first.
    public var orders: [OrderRecord]
    /// The newest position when it was read.
    public var head: Cursor
}

/// One contract with all who hold it, and what it gives the user.
public struct ContractRecord: Sendable, Equatable {
    public var entitlement: Entitlement
    public var tracked: TrackedContract
}

/// A user's entitlements, and the cursor to resume from.
public struct UserEntitlements: Sendable, Equatable {
    public var isActive: Bool
    /// The entitlement that decides about the user comes first; those that the policy does not honor come last. Only
    /// the newest 100 consumables are listed.
    public var entitlements: [Entitlement]
    public var since: Cursor
}

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
