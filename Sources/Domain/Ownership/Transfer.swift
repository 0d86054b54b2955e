/// A store's statement that users lose all their contracts at that store, and that another user gains them.
public struct Transfer: Sendable, Equatable {
    public var from: [UserID]
    public var to: UserID
    /// True when the store did not say in which environment: everything that the users hold in both moves.
    public var isEverywhere: Bool
    /// True when `from` are ids that the store made up for this user. What was bought under them is the user's,
    /// whenever it was bought, until another user is named. An event may say so beside what it says about a contract.
    public var isAlias: Bool

    public init(from: [UserID], to: UserID, isEverywhere: Bool = false, isAlias: Bool = false) {
        self.from = from
        self.to = to
        self.isEverywhere = isEverywhere
        self.isAlias = isAlias
    }
}
