/// What users lose and another one gains, as a store says it: all their contracts at that store.
public struct Transfer: Sendable, Equatable {
    public var from: [UserID]
    public var to: UserID
    /// The store did not say in which environment: it moves what they hold in both.
    public var isEverywhere: Bool

    public init(from: [UserID], to: UserID, isEverywhere: Bool = false) {
        self.from = from
        self.to = to
        self.isEverywhere = isEverywhere
    }
}

/// What becomes of a contract when another user than its own claims it with a genuine transaction. RevenueCat's words
/// (https://www.revenuecat.com/docs/projects/restore-behavior).
public enum TransferPolicy: String, CaseIterable, Sendable {
    /// It is the claimant's from now on.
    case transfer
    /// As `transfer`, unless its own user still has access through it.
    case transferIfInactive = "transfer_if_inactive"
    /// It stays where it is.
    case keep
    /// Both hold it.
    case share
}
