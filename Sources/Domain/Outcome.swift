/// What became of an event. The store gets it as the answer, after the commit.
public enum Outcome: String, CaseIterable, Sendable {
    /// It changed what we know about a contract.
    case applied
    /// The same event id was committed before.
    case duplicate
    /// A newer statement about the same contract is already committed.
    case stale
    /// Verified, but without effect on access: TEST, price notices, unknown types that change nothing.
    case ignored
    /// Stored; no user is known yet.
    case unclaimed
    /// Verified, but it contradicts the order that its token names.
    case quarantined
}
