public import Domain

/// An errand that waits for its turn.
public struct QueuedErrand: Sendable, Equatable {
    public var id: Int64
    public var errand: Errand
    /// How many have failed.
    public var attempts: Int
    public var queuedAt: Instant
    /// Of the event, for `forward` only.
    public var body: [UInt8]?
}

/// What stores are still to be told.
public struct ErrandBacklog: Sendable, Equatable {
    public var waiting: Int
    /// When the next one is due.
    public var next: Instant?
    /// The first deadline of one that waits.
    public var nearestDeadline: Instant?
    /// The last one that was queued and is still remembered.
    public var newest: Int64

    public init(waiting: Int = 0, next: Instant? = nil, nearestDeadline: Instant? = nil, newest: Int64 = 0) {
        self.waiting = waiting
        self.next = next
        self.nearestDeadline = nearestDeadline
        self.newest = newest
    }
}
