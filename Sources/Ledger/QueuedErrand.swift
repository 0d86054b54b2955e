public import Domain

/// An errand that waits for its turn.
public struct QueuedErrand: Sendable, Equatable {
    public var id: Int64
    public var errand: Errand
    /// How many attempts have failed.
    public var attempts: Int
    public var queuedAt: Instant
    /// The event's body, for `forward` only.
    public var body: [UInt8]?
}

/// What stores and staging servers are still to be told.
public struct ErrandBacklog: Sendable, Equatable {
    public var waiting: Int
    /// When the next errand is due.
    public var next: Instant?
    /// The first deadline of a waiting errand.
    public var nearestDeadline: Instant?
    /// The id of the last errand that was queued and is still remembered.
    public var newest: Int64

    public init(waiting: Int = 0, next: Instant? = nil, nearestDeadline: Instant? = nil, newest: Int64 = 0) {
        self.waiting = waiting
        self.next = next
        self.nearestDeadline = nearestDeadline
        self.newest = newest
    }
}
