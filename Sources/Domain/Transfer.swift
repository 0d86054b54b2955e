/// A store's statement that users lose all their contracts at that store, and that another user gains them.
public struct Transfer: Sendable, Equatable {
    public var from: [UserID]
    public var to: UserID
    /// True when the store did not say in which environment: everything that the users hold in both moves.
    public var isEverywhere: Bool

    public init(from: [UserID], to: UserID, isEverywhere: Bool = false) {
        self.from = from
        self.to = to
        self.isEverywhere = isEverywhere
    }
}

/// What happens to a contract when a user who does not own it claims it with a genuine transaction. The words are
/// RevenueCat's (https://www.revenuecat.com/docs/projects/restore-behavior).
public enum TransferPolicy: String, CaseIterable, Sendable {
    /// It belongs to the claimant from now on.
    case transfer
    /// Like `transfer`, unless its owner still has access through it.
    case transferIfInactive = "transfer_if_inactive"
    /// It stays with its owner.
    case keep
    /// Both users hold it.
    case share
}
