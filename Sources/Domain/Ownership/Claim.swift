/// A user who posts a genuine transaction while signed in has a reason to hold the contract.
public struct Claim: Sendable, Equatable {
    public var user: UserID
    /// The order that the app sends along with the claim.
    public var order: OrderToken?
    /// True when the app's backend names the user. Of an erased user, nothing else counts: a page or a phone may still
    /// hold the name of the user's stream.
    public var isVouched: Bool

    public init(user: UserID, order: OrderToken? = nil, isVouched: Bool = true) {
        self.user = user
        self.order = order
        self.isVouched = isVouched
    }
}

/// The result of a claim.
public enum ClaimOutcome: Sendable, Equatable {
    /// The contract is the claimant's: nobody else held it, or the claimant already did.
    case granted
    /// The contract moved to the claimant; it was another user's until now.
    case moved
    /// Another user holds the contract as well.
    case shared
    /// The contract stays another user's; the event was committed all the same.
    case refused
}
