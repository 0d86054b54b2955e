public import Domain

/// The entries that a reader of the feed wants; nil members match everything. Values are compared as bytes.
public struct EntrySelection: Sendable, Equatable {
    public static let all = EntrySelection()

    public var user: UserID?
    public var provider: String?
    public var environment: String?
    public var type: String?
    public var outcome: String?
    /// By the store's id.
    public var product: String?

    public init(
        user: UserID? = nil,
        provider: String? = nil,
        environment: String? = nil,
        type: String? = nil,
        outcome: String? = nil,
        product: String? = nil
    ) {
        self.user = user
        self.provider = provider
        self.environment = environment
        self.type = type
        self.outcome = outcome
        self.product = product
    }
}

/// Entries in order, for the feed.
public struct EntryPage: Sendable, Equatable {
    public var entries: [Entry]
    /// The position that the search has reached. `entries` holds every selected entry up to here.
    public var through: Int64
    /// The newest position when the page was read.
    public var head: Cursor

    /// True if the search has reached the newest position.
    public var isWhole: Bool { through >= head.position }
}
