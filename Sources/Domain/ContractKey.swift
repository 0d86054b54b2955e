/// Names one subscription or one-time purchase at one store.
public struct ContractKey: Hashable, Sendable {
    public var provider: Provider
    public var environment: StoreEnvironment
    public var app: String
    /// The store's lineage id (Apple: `originalTransactionId`).
    public var lineage: String

    public init(provider: Provider, environment: StoreEnvironment, app: String, lineage: String) {
        self.provider = provider
        self.environment = environment
        self.app = app
        self.lineage = lineage
    }
}
