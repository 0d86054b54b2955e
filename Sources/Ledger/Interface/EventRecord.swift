/// How somebody names one event.
public enum EventName: Sendable, Equatable {
    /// The store's id.
    case id(String)
    /// Where it was committed; also of what the ledger committed by itself.
    case position(Int64)
}

/// One event, with what explains its outcome.
public struct EventRecord: Sendable, Equatable {
    public var event: UserEvent
    /// As a store sent it; nil for what the ledger committed by itself. Its body may have been emptied.
    public var stored: StoredEvent?
    /// The event of the same contract with the latest date, if that is later, and it was there before: what made this one
    /// stale.
    public var newer: UserEvent?
}
