/// The entries that a reader of the feed wants; nil members match everything. Values are compared as bytes.
public struct EntrySelection: Sendable, Hashable {
    public static let all = EntrySelection()

    public var user: UserID?
    public var provider: String?
    public var environment: String?
    public var type: String?
    public var outcome: String?
    /// By the store's id.
    public var product: String?

    public func admits(_ notice: Notice) -> Bool {
        func isSame(_ wanted: String?, _ found: String?) -> Bool {
            guard let wanted else { return true }
            return found?.hasSameBytes(as: wanted) == true
        }
        return (user == nil || user == notice.user)
            && isSame(provider, notice.provider?.rawValue)
            && isSame(environment, notice.environment?.rawValue)
            && isSame(type, notice.type)
            && isSame(outcome, notice.outcome?.rawValue)
            && isSame(product, notice.product)
    }
}
