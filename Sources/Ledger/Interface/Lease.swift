/// The right to do the leader's work. A commit made for it names this lease, and is refused once another node holds the
/// next one.
public struct Lease: Hashable, Sendable {
    /// Grows each time another node becomes the leader.
    public let number: Int64

    public init(number: Int64) {
        self.number = number
    }

    /// The lease of a ledger that only one node writes.
    public static let only = Lease(number: 0)
}
