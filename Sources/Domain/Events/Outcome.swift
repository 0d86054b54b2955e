/// The outcome of an event. The store gets it as the answer, after the commit.
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

extension Notice {
    /// Why the event changed nothing, in words for people; nil when it was applied, and for a notice that is not about
    /// an event.
    public var reason: String? {
        if outcome == .ignored, kind == .providerTest { return "the store only tests whether it can reach this server" }
        if outcome == .ignored, kind == .contractErased { return "it is about a user who was erased" }
        if outcome == .ignored, subtype == Event.unlistedAccount { return "it is of an account that no setting lists" }
        if outcome == .ignored, kind == .refundRequested {
            return "somebody wants the money back, which changes nothing by itself"
        }
        if outcome == .ignored, user == nil, product?.isEmpty == true {
            return "no purchase is known that it could be about"
        }
        return outcome?.reason(isOfContract: contract != nil)
    }
}

extension Outcome {
    /// Nil for `applied`. `isOfContract` is true when the event says something about a known contract.
    public func reason(isOfContract: Bool) -> String? {
        switch self {
        case .applied: nil
        case .duplicate: "the store has sent it before"
        case .stale: "the store has already said something newer about this contract"
        case .unclaimed: "no order and no user is known for it yet"
        case .quarantined: "it contradicts the order that its token names"
        case .ignored: isOfContract ? "it says nothing new" : "it is not about a contract"
        }
    }
}

/// The answer to the store.
public struct CommitResult: Sendable, Equatable {
    public var outcome: Outcome
    /// The store's event id.
    public var event: String
    /// Where the event was committed; for a duplicate, where the first one was.
    public var cursor: Cursor
    /// The result of the claim that came with it.
    public var claim: ClaimOutcome?
    /// Where the purchase began, as far as its order knows; for the log.
    public var trace: TraceID?
}
