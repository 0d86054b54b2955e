public import Domain

/// Something that has the name which somebody looks for.
public enum SearchHit: Sendable, Equatable {
    case user(UserID)
    case order(Order)
    /// By its lineage id, by the buyer's name at the store, or by Google's number of the order. Nil for a contract without events.
    case contract(Contract, owner: UserID?, newest: Cursor?)
    case event(Entry)
}
