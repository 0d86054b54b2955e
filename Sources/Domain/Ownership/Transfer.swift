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
