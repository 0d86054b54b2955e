public import Domain

/// The result of one transaction of an erasure. An erasure takes as many as it needs to hold nobody else up.
public struct ErasureStep: Sendable, Equatable {
    public var events = 0
    public var fragments = 0
    public var contracts = 0
    public var orders = 0
    /// Nil while there is more to do. Until then, nothing keeps the user from coming back.
    public var cursor: Cursor?

    public init() {}

    public var isDone: Bool { cursor != nil }

    public mutating func add(_ other: ErasureStep) {
        events += other.events
        fragments += other.fragments
        contracts += other.contracts
        orders += other.orders
        cursor = other.cursor
    }
}
