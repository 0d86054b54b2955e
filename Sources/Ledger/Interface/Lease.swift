/// The work that one node does for all, as one node has got it. What it writes because of that names its lease, and is refused
/// once another node has the next one.
public struct Lease: Hashable, Sendable {
    /// Grows with each node that takes the work over.
    public let number: Int64

    public init(number: Int64) {
        self.number = number
    }

    /// Of a ledger that has one node.
    public static let only = Lease(number: 0)
}
