/// Who owns a contract: a function of facts, never of the order in which they arrived.
public struct Ownership: Sendable, Equatable {
    /// One reason why a user holds a contract.
    public struct Fact: Sendable, Equatable {
        public enum Ground: Sendable, Equatable {
            /// The store echoed the token of the user's order. The fact has the date of the charge that was bought with
            /// it. A user who buys again adds a new fact; renewals repeat the token and are not purchases.
            case purchase
            /// The user posted a genuine transaction while signed in. `whileActive` says whether it gave access then.
            case claim(whileActive: Bool)
        }

        public var user: UserID
        public var at: Instant
        public var ground: Ground

        public init(user: UserID, at: Instant, ground: Ground) {
            self.user = user
            self.at = at
            self.ground = ground
        }
    }

    /// The first user owns the contract; there are others only under the policy `share`.
    public var users: [UserID]
    /// Since when the first user has owned it.
    public var since: Instant
}
