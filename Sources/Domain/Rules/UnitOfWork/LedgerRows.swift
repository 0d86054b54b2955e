/// What a decision may ask of the ledger, inside one transaction. An engine answers with what is stored; what the
/// transaction has changed since is in its `IdentityMap`.
public protocol LedgerRows: AnyObject {
    /// The position at which an event was first committed; nil if it was not.
    func position(of event: EventKey) throws -> Int64?
    /// The position of the newest event that is filed under a contract, or 0.
    func newestEvent(of key: ContractKey) throws -> Int64
    func contract(_ key: ContractKey) throws -> TrackedContract?
    /// In the order of the ledger, as many as the list's `limit`.
    func contracts(_ index: ContractIndex) throws -> [TrackedContract]
    /// Of a contract that the ledger has.
    func facts(of key: ContractKey) throws -> OwnershipFacts
    func order(_ token: OrderToken) throws -> Order?
    /// The first order that the same request created.
    func order(like request: OrderRequest) throws -> Order?
    /// The store's statements about a user who lost everything to others, in the order of their dates, then of the users.
    func transfers(from source: TransferSource) throws -> [TransferTarget]
    func language(of user: UserID) throws -> LanguageTag?
    /// True if it belonged to an erased user.
    func isBuried(_ identity: ErasedIdentity) throws -> Bool
    /// Everything that an erasure has to examine.
    func holdings(of user: UserID) throws -> UserHoldings
}
