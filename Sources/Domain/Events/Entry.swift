/// One committed row at its position in the ledger: what `tail` shows and what pages receive.
public struct Entry: Sendable, Equatable {
    /// The outbox row id: the SEQ of its cursor.
    public var position: Int64
    public var committedAt: Instant
    public var notice: Notice
    /// In the order in which they apply; empty when nothing on a page changes.
    public var fragments: [Fragment]

    public init(position: Int64, committedAt: Instant, notice: Notice, fragments: [Fragment]) {
        self.position = position
        self.committedAt = committedAt
        self.notice = notice
        self.fragments = fragments
    }
}

/// An entry as developers see it: names and states, never a payload or a secret.
public struct Notice: Sendable, Equatable {
    public var kind: EventKind
    public var provider: Provider?
    public var environment: StoreEnvironment?
    public var type: String?
    public var subtype: String?
    /// The store's event id.
    public var event: String?
    public var outcome: Outcome?
    public var user: UserID?
    /// The store's lineage id.
    public var contract: String?
    public var order: OrderToken?
    public var product: String?
    public var previousState: ContractState?
    public var state: ContractState?
    /// Whether the user has access afterwards.
    public var active: Bool?
    public var accessUntil: Instant?

    public init(kind: EventKind) {
        self.kind = kind
    }
}
