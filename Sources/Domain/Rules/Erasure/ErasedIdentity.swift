/// Something by which a store or an app can name an erased user. A ledger keeps only a keyed digest of it, on a
/// tombstone.
public enum ErasedIdentity: Hashable, Sendable {
    case user(UserID)
    case contract(ContractKey)
    /// A buyer. The key is that of any of the contracts, with the store's name for the buyer as its lineage.
    case account(ContractKey)
    case order(OrderToken)
    case event(EventKey)

    /// The input of the digest; no two identities have the same.
    public var fields: [String] {
        switch self {
        case .user(let user): ["user", user.text]
        case .contract(let key): ["contract"] + ErasedIdentity.fields(of: key)
        case .account(let key): ["account"] + ErasedIdentity.fields(of: key)
        case .order(let token): ["order", token.description]
        case .event(let key): ["event", key.provider.rawValue, key.environment.rawValue, key.id]
        }
    }

    private static func fields(of key: ContractKey) -> [String] {
        [key.provider.rawValue, key.environment.rawValue, key.app, key.lineage]
    }
}

/// Everything that an erasure has to examine.
public struct UserHoldings: Sendable {
    /// The contracts that the user owns, shares, has claimed or has bought with an order.
    public var contracts: [TrackedContract]
    public var orders: [OrderToken]
    /// The places where a store said that the user lost everything.
    public var losses: [TransferSource]

    public init(contracts: [TrackedContract] = [], orders: [OrderToken] = [], losses: [TransferSource] = []) {
        self.contracts = contracts
        self.orders = orders
        self.losses = losses
    }
}

/// The user to erase: these contracts, and everything else that names the user.
public struct ErasureRecord: Sendable {
    public var user: UserID
    public var contracts: [ContractKey]
}
