public import Domain
public import Support

/// Grants: a store without settings, without webhooks, and without anybody who pays.
public struct GrantStore: Store {
    public static let provider = Provider.paycast
    public static let title = "Grants"
    public static let hasWebhooks = false
    public static let webhookSecret = ""

    public init(_ settings: inout SettingsReader) {}

    public static func claimedID(of delivery: Delivery) -> String? { nil }

    public var missingSettings: [String] { [] }
    public var isExpected: Bool { false }

    public mutating func reload(from new: GrantStore, changes: inout SettingsChanges) {}

    public func open(_ dependencies: StoreDependencies) -> GrantReader? { GrantReader() }
}

/// Reads the grants that the ledger keeps. Nobody delivers any.
public struct GrantReader: StoreVerifier, OpenStore {
    public init() {}

    public func verify(_ delivery: Delivery, now: Instant) throws(VerificationError) -> Event { throw .notConfigured }

    public func interpret(_ stored: StoredDelivery) throws(VerificationError) -> Event? {
        guard let grant = Grant(stored.body) else { throw .malformed(.invalidPayload) }
        return grant.event
    }
}
