/// The entries that a reader of the feed wants; nil members match everything. The ledger compares values as bytes.
public struct EntrySelection: Sendable, Hashable {
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

    public func admits(_ notice: Notice) -> Bool {
        (user == nil || user == notice.user)
            && (provider == nil || provider == notice.provider?.rawValue)
            && (environment == nil || environment == notice.environment?.rawValue)
            && (type == nil || type == notice.type)
            && (outcome == nil || outcome == notice.outcome?.rawValue)
            && (product == nil || product == notice.product)
    }
}
