public import Domain

/// Something by which a store, or an app, can name an erased user. A ledger keeps no more of it than a keyed digest, on a
/// tombstone.
public enum ErasedIdentity: Hashable, Sendable {
    case user(UserID)
    case contract(ContractKey)
    /// A buyer. The key is that of any of the contracts, with the store's name for the buyer as its lineage.
    case account(ContractKey)
    case order(OrderToken)
    case event(EventKey)

    /// What the digest is made of; no two identities have the same.
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

/// What an erasure has to look at, with all of the contracts known.
public struct Possessions: Sendable {
    /// Those that the user owns, shares, has claimed or has bought with an order.
    public var contracts: [ContractKey]
    public var orders: [OrderToken]
    /// Where a store said that the user lost everything.
    public var losses: [TransferSource]

    public init(contracts: [ContractKey] = [], orders: [OrderToken] = [], losses: [TransferSource] = []) {
        self.contracts = contracts
        self.orders = orders
        self.losses = losses
    }
}

/// What is to be forgotten: these contracts, and whatever else names the user.
public struct ErasureRecord: Sendable {
    public var user: UserID
    public var contracts: [ContractKey]
}
