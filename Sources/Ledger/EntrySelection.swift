public import Domain

/// Which entries a reader of the feed wants; nil members mean all. Compared as bytes.
public struct EntrySelection: Sendable, Equatable {
    public static let all = EntrySelection()

    public var user: UserID?
    public var provider: String?
    public var environment: String?
    public var type: String?
    public var outcome: String?

    public init(
        user: UserID? = nil,
        provider: String? = nil,
        environment: String? = nil,
        type: String? = nil,
        outcome: String? = nil
    ) {
        self.user = user
        self.provider = provider
        self.environment = environment
        self.type = type
        self.outcome = outcome
    }

    /// SQL, and the values of its marks from the second one on.
    static let condition = """
        (?2 IS NULL OR provider = ?2) AND (?3 IS NULL OR environment = ?3)
            AND (?4 IS NULL OR type = ?4) AND (?5 IS NULL OR outcome = ?5)
        """
    var values: [Value] { [Value(provider), Value(environment), Value(type), Value(outcome)] }
}

/// Entries in order, for the feed.
public struct EntryPage: Sendable, Equatable {
    public var entries: [Entry]
    /// How far was looked: what is not in `entries` up to here was not asked for.
    public var through: Int64
    /// The newest position when it was read.
    public var head: Cursor

    /// Nothing was left out.
    public var isWhole: Bool { through >= head.position }
}
