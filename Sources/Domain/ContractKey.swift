/// Names one subscription or one-time purchase at one store. Two keys are equal when their bytes are: stores choose the
/// ids.
public struct ContractKey: Sendable {
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

extension ContractKey: Hashable {
    public static func == (left: ContractKey, right: ContractKey) -> Bool {
        left.lineage.hasSameBytes(as: right.lineage) && left.app.hasSameBytes(as: right.app)
            && left.provider == right.provider && left.environment == right.environment
    }

    public func hash(into hasher: inout Hasher) {
        lineage.hashBytes(into: &hasher)
        app.hashBytes(into: &hasher)
        hasher.combine(provider)
        hasher.combine(environment)
    }
}
