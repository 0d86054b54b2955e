/// A question whose answer is a list of contracts.
public enum ContractIndex: Hashable, Sendable {
    /// The contracts of one buyer. The key is that of any of them, with the store's name for the buyer as its lineage.
    case ofAccount(ContractKey)
    /// The contracts that replaced this one.
    case replacing(ContractKey)
    /// The further products of this purchase.
    case lines(of: ContractKey)
    /// The contracts that a user holds, except consumables: the user's own first, then those that others share with the
    /// user.
    case held(by: UserID)
    /// The contracts that a user owns because the store itself names its users.
    case named(UserID, provider: Provider, environment: StoreEnvironment)
    /// The contracts whose charges carried this order's token.
    case bought(with: OrderToken)
}

/// The greatest length of a list. A decision reads whole lists and may change each of their contracts, while all others
/// wait.
extension ContractIndex {
    /// A buyer has a handful of contracts at one store.
    public static let relatedLimit = 200
    /// An app may bind one token to everything that a user buys.
    public static let boughtLimit = 1000

    /// How many contracts a list may have. Of a longer list, the ledger takes the oldest contracts (of further products, the
    /// first by lineage) and ignores the others. Nil for a list that is always whole.
    ///
    /// Every command sees what the next transaction would load. One command sees a full list as it was when the command
    /// began, without the contracts that have left it since; a trial, which writes nothing, sees additional ones at the
    /// end.
    public var limit: Int? {
        switch self {
        case .ofAccount, .replacing, .lines: ContractIndex.relatedLimit
        case .bought: ContractIndex.boughtLimit
        case .held, .named: nil
        }
    }
}

extension ContractIndex {
    /// The buyer's contracts; nil when the store did not name the buyer.
    static func account(of contract: Contract) -> ContractIndex? {
        contract.account.map { .ofAccount(contract.key.with(lineage: $0.value)) }
    }

    /// The lists that contain a contract, except those by token.
    static func containing(_ tracked: TrackedContract) -> [ContractIndex] {
        let contract = tracked.contract
        var indexes: [ContractIndex] = []
        if let account = account(of: contract) { indexes.append(account) }
        if let previous = contract.previousLineage?.value {
            indexes.append(.replacing(contract.key.with(lineage: previous)))
        }
        if let purchase = contract.key.purchase { indexes.append(.lines(of: purchase)) }
        if contract.kind != .consumable { indexes += tracked.holders.map { .held(by: $0) } }
        if let user = tracked.user, contract.storeUser != nil {
            indexes.append(.named(user, provider: contract.key.provider, environment: contract.key.environment))
        }
        return indexes
    }
}

extension ContractIndex {
    /// Call it for contracts that were in the list once: they may have left it since. A token that a charge carried
    /// stays.
    func contains(_ tracked: TrackedContract) -> Bool {
        let contract = tracked.contract
        switch self {
        case .ofAccount: return ContractIndex.account(of: contract) == self
        case .replacing(let key):
            return contract.previousLineage.map { contract.key.with(lineage: $0.value) == key } ?? false
        case .lines(let key): return contract.key.purchase == key
        case .held(let user): return contract.kind != .consumable && tracked.holders.contains(user)
        case .named(let user, let provider, let environment):
            return tracked.user == user && contract.storeUser != nil && contract.key.provider == provider
                && contract.key.environment == environment
        case .bought: return true
        }
    }
}
