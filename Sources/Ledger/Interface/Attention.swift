public import Domain

/// What the ledger knows of that an operator should look at.
public struct Attention: Sendable, Equatable {
    /// The contracts that nobody has.
    public var unclaimedContracts: Int
    /// The newest events about such contracts, one of each, newest first.
    public var unclaimed: [Entry]
    /// The newest events that contradict an order, newest first.
    public var quarantined: [Entry]
    /// Those whose deadline is less than a day away, the nearest first; then those that were given up, newest first.
    public var jobs: [TroubledJob]
    /// How the backend's addresses fare.
    public var hooks: [HookAddressState]
    /// The newest messages to the backend that were given up.
    public var failedHooks: [HookDelivery]
}

/// A job that an operator should know of.
public struct TroubledJob: Sendable, Equatable {
    public var job: Job
    /// The number of failed attempts.
    public var attempts: Int
    public var queuedAt: Instant
    /// Why the last attempt failed.
    public var reason: String?
    /// When it was given up; nil while it waits.
    public var abandonedAt: Instant?
}
