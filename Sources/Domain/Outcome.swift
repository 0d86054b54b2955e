/// What became of an event, answered to the store after the commit.
public enum Outcome: String, CaseIterable, Sendable {
    /// It changed what we know of a contract.
    case applied
    /// The same event id was committed before.
    case duplicate
    /// A newer statement of the same contract is already committed.
    case stale
    /// Verified, without effect on access: TEST, price notices, unknown types that change nothing.
    case ignored
    /// Stored; no user is known yet.
    case unclaimed
    /// Verified, but it contradicts the order that its token names.
    case quarantined
}
