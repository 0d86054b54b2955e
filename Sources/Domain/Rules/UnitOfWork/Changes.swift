/// The changes of one command, table by table. Contracts come before the rows that refer to them, and entries before
/// their events.
public struct Changes: Sendable {
    /// Each contract's new state, and its state in the ledger; nil for a new one.
    public var contracts: [(current: TrackedContract, previous: TrackedContract?)] = []
    /// Everything that is known about a contract's token from now on, and about one user's claims on a contract.
    public var tokens: [(contract: ContractKey, token: OrderToken, dates: TokenDates)] = []
    public var claims: [(contract: ContractKey, claim: ClaimHistory)] = []
    public var transfers: [(source: TransferSource, target: TransferTarget)] = []
    /// Everything that is known about a contract's charge from now on.
    public var charges: [(contract: ContractKey, charge: Charge)] = []
    public var orders: [Order] = []
    /// Orders that state less than before, or began elsewhere: their requests were repeated with other values.
    public var changedOrders: [Order] = []
    /// True if one of them states less than before. That one began elsewhere says nothing of its user.
    var ordersStateLess = false
    public var locales: [(user: UserID, locale: UserLocale)] = []
    public var entries: [AppendedEntry] = []
    public var events: [FiledEvent] = []
    /// Events that were stored before and belong to another contract now.
    public var refiledEvents: [(event: EventKey, contract: ContractKey)] = []
    /// To be queued unless the same ones already are. `position` belongs to the event whose body may be forwarded.
    public var jobs: [(job: Job, position: Int64?)] = []
    public var hooks: [HookRecord] = []
    /// A user to erase, with everything that is only theirs.
    public var erasure: ErasureRecord?
    public var buried: [ErasedIdentity] = []
    public var lifted: [ErasedIdentity] = []
    /// Users whose pages end, each with its entry.
    public var endedPages: [PagesEnding] = []
    /// The position at which an app's broadcasts were lost.
    public var lostBroadcasts: Int64?
    /// The change in the number of contracts without a user.
    public var unclaimed = 0

    /// True if something was done for a user, or to one. A request that is repeated does nothing, but may bring another
    /// locale or trace.
    public var areAnAct: Bool {
        !contracts.isEmpty || !orders.isEmpty || ordersStateLess || !entries.isEmpty || erasure != nil
    }
}

/// An entry with its fragments in the locales of their users, as pages get it now. `stored` are the fragments without
/// a locale: missed fragments are rendered in the one that their user has then.
public struct AppendedEntry: Sendable {
    public var entry: Entry
    public var stored: [Fragment]
}

public struct FiledEvent: Sendable {
    public var event: Event
    public var position: Int64
    public var receivedAt: Instant
    public var contract: ContractKey?
    /// True if it concerns an erased user: its id is kept as a digest, as on a tombstone.
    public var isErased = false
}

/// Names of a user's stream that were signed before this position are refused.
public struct PagesEnding: Sendable, Equatable {
    public var user: UserID
    public var position: Int64

    public init(user: UserID, position: Int64) {
        self.user = user
        self.position = position
    }
}

/// What became of a request to end a user's pages.
public struct EndedPagesResult: Sendable, Equatable {
    public var since: Cursor
    /// Nil if nothing was committed.
    public var ending: PagesEnding?
}

/// Something that the backend is to be told of a user. `position` is that of the entry with the cause.
public struct HookRecord: Sendable {
    public var type: HookType
    public var user: UserID
    public var position: Int64
    /// What the user holds then; nil if the ledger has to be asked for all of it.
    public var state: EntitlementSet?
    /// The purchase that it is about. Of messages about the user alone, a newer one takes the place of an older one; each about a
    /// purchase arrives.
    public var purchase: ToldPurchase?
}

/// What a message about a purchase is about: the store's statement by which the purchase has changed.
public struct ToldPurchase: Sendable {
    public var contract: ContractKey
    /// Of a message about a charge, the position of the entry with the cause, as an instant.
    public var statedAt: Instant
    /// The store's id of the charge that it is about; nil if it is about a consumable.
    public var charge: String?
}
