public import Domain

/// What one command writes, table by table. Contracts come before what refers to them, and entries before their events.
public struct Changes: Sendable {
    public var contracts: [ContractChangeRecord] = []
    public var tokens: [TokenRecord] = []
    public var claims: [ClaimRecord] = []
    public var transfers: [TransferRecord] = []
    public var orders: [Order] = []
    /// Orders whose request was repeated with other words.
    public var widenedOrders: [Order] = []
    public var languages: [LanguageRecord] = []
    public var entries: [AppendedEntry] = []
    public var events: [FiledEvent] = []
    /// Events that were stored before and belong to another contract now.
    public var refiledEvents: [RefiledEvent] = []
    public var jobs: [QueuedJobRecord] = []
    /// A user to be forgotten, with everything that is only theirs.
    public var erasure: ErasureRecord?
    public var buried: [ErasedIdentity] = []
    public var lifted: [ErasedIdentity] = []
    /// The position at which an app's broadcasts were lost.
    public var lostBroadcasts: Int64?
    /// The change in the number of contracts without a user.
    public var unclaimed = 0

    public init() {}
}

/// A contract as it is from now on, and as the ledger has it; nil for a new one.
public struct ContractChangeRecord: Sendable {
    public var current: TrackedContract
    public var previous: TrackedContract?
}

/// All that is known of a token of a contract from now on.
public struct TokenRecord: Sendable {
    public var contract: ContractKey
    public var token: OrderToken
    public var dates: TokenDates
}

/// All that is known of one user's claims on a contract from now on.
public struct ClaimRecord: Sendable {
    public var contract: ContractKey
    public var claim: ClaimHistory
}

public struct TransferRecord: Sendable {
    public var source: TransferSource
    public var target: TransferTarget
}

public struct LanguageRecord: Sendable {
    public var user: UserID
    public var language: LanguageTag
}

/// An entry with its fragments in the languages of their users, as pages get it now. `stored` are the fragments without
/// a language: what a page missed is written in the language that its user reads then.
public struct AppendedEntry: Sendable {
    public var entry: Entry
    public var stored: [Fragment]
}

public struct FiledEvent: Sendable {
    public var event: Event
    public var position: Int64
    public var receivedAt: Instant
    public var contract: ContractKey?
    /// Whether it is about an erased user: its id is to be kept as a digest, as on a tombstone.
    public var isErased = false
}

public struct RefiledEvent: Sendable {
    public var event: EventKey
    public var contract: ContractKey
}

/// A job to be queued unless the same one is already. `position` is that of the event whose body may be forwarded.
public struct QueuedJobRecord: Sendable {
    public var job: Job
    public var position: Int64?
}
