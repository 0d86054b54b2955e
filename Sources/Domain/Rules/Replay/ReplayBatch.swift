/// Stored events, read again.
public struct ReplayBatch: Sendable, Equatable {
    /// Events that belong to no contract yet, or to another one than they were filed under.
    public var events: [Event]
    public var rebuilds: [ContractRebuild]

    public init(events: [Event] = [], rebuilds: [ContractRebuild] = []) {
        self.events = events
        self.rebuilds = rebuilds
    }
}

/// The result of a batch, or of a trial.
public struct ReplayReport: Sendable, Equatable {
    public var changes: [ReplayChange] = []
    /// Contracts that have changed since they were read. They were left alone and have to be read again.
    public var outdated: [ContractKey] = []
}

/// The effect of a replay, or of a trial, on one contract.
public struct ReplayChange: Sendable, Equatable {
    /// The store's id for the event, or for the last of several.
    public var event: String
    /// The store's lineage id.
    public var contract: String
    public var user: UserID?
    public var previousUser: UserID?
    public var before: ContractState?
    public var after: ContractState?
    public var accessUntilBefore: Instant?
    public var accessUntil: Instant?

    public var changesSomething: Bool {
        before != after || accessUntilBefore != accessUntil || previousUser != user
    }
}
