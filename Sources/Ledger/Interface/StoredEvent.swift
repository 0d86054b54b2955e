public import Domain

/// An event as it was posted.
public struct StoredEvent: Sendable, Equatable {
    public var position: Int64
    public var provider: Provider
    public var environment: StoreEnvironment
    public var app: String
    public var id: String
    public var receivedAt: Instant
    public var body: [UInt8]
    /// The ledger's id of the contract that the event changed or confirmed.
    public var contract: Int64?
}

/// Selects stored events within a range of positions: those with the given ids, of a contract, of a user, or all.
public struct EventSelection: Sendable, Equatable {
    /// The stores' event ids; empty means all. A limit counts the ids, each of which several stores may have used.
    public var ids: [String]
    /// The ledger's id of the contract.
    public var contract: Int64?
    public var user: UserID?
    /// The first and the last position.
    public var since: Int64
    public var until: Int64
    /// The last position of the previous page.
    public var after: Int64

    public init(
        ids: [String] = [],
        contract: Int64? = nil,
        user: UserID? = nil,
        since: Int64 = 0,
        until: Int64 = .max,
        after: Int64 = 0
    ) {
        self.ids = ids
        self.contract = contract
        self.user = user
        self.since = max(1, since)
        self.until = until
        self.after = max(0, after)
    }
}

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
