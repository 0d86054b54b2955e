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
