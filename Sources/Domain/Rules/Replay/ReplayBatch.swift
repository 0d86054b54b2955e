/// Stored events, read again.
public struct ReplayBatch: Sendable, Equatable {
    /// Events that belong to no contract yet, or to another one than they were filed under.
    public var events: [Event]
    public var rebuilds: [ContractRebuild]

    public init(events: [Event] = [], rebuilds: [ContractRebuild] = []) {
        self.events = events
        self.rebuilds = rebuilds
    }

    /// Takes one step after the other, with its consequences; `decide` makes each a decision of its own.
    ///
    /// First the contracts to rebuild are compared with what was read, because events change contracts and what is filed
    /// under them. Then every event is applied and each contract is replaced. Last come the owners of related contracts,
    /// because they may follow from several of them.
    public func replay<Failure>(
        decide: (_ step: (inout UnitOfWork) throws -> Void) throws(Failure) -> Void
    ) throws(Failure) -> ReplayReport {
        var report = ReplayReport()
        var current: [(known: TrackedContract, rebuild: ContractRebuild)] = []
        try decide { unit in
            for rebuild in rebuilds {
                if let known = try unit.current(rebuild) {
                    current.append((known, rebuild))
                } else {
                    report.outdated.append(rebuild.known.key)
                }
            }
        }
        for event in events {
            try decide { unit in
                let result = try unit.replay(event, report: &report)
                guard result.outcome != .quarantined else { return }
                for index in current.indices { current[index].rebuild.fold(event) }
            }
        }
        var resolved: [TrackedContract] = []
        for (known, rebuild) in current {
            try decide { unit in resolved += try unit.replace(known, by: rebuild, report: &report) }
        }
        for tracked in resolved {
            try decide { unit in
                unit.related.append(tracked)
                try unit.settle()
            }
        }
        return report
    }
}

extension UnitOfWork {
    /// The contract as the rebuild read it; nil if the store has said something about it since, even something stale.
    fileprivate func current(_ rebuild: ContractRebuild) throws -> TrackedContract? {
        guard let known = try ledger.contract(rebuild.known.key), known.contract == rebuild.known else { return nil }
        return try ledger.newestEvent(of: known.key) == rebuild.newest ? known : nil
    }

    fileprivate mutating func replay(_ event: Event, report: inout ReplayReport) throws -> CommitResult {
        let key = event.observation?.contract
        let before = try key.map { try ledger.contract($0) } ?? nil
        let result = try record(IncomingEvent(event, receivedAt: now, isReplay: true))
        try settle()
        let after = try key.map { try ledger.contract($0) } ?? nil
        if let after { report.changes.append(ReplayChange(event: event.id, before: before, after: after)) }
        return result
    }

    /// Returns the contract before and after, if the owners of others may follow from the difference. `before` is how it
    /// was before the replay.
    fileprivate mutating func replace(
        _ before: TrackedContract,
        by rebuild: ContractRebuild,
        report: inout ReplayReport
    ) throws -> [TrackedContract] {
        guard let known = try ledger.contract(rebuild.known.key) else { return [] }
        for (token, dates) in rebuild.tokens { _ = try add(token, dates: dates, to: known.key) }
        // What a ledger from before charges had rows knows of them. Nobody is told of what is that old.
        _ = try record(rebuild.charges, of: known.key, news: false)
        let current = try replace(known, by: rebuild.contract)
        try settle()
        report.changes.append(ReplayChange(event: rebuild.event, before: before, after: current))
        return known.isRelatedOtherwise(than: current) ? [known, current] : []
    }

    private mutating func replace(_ known: TrackedContract, by contract: Contract) throws -> TrackedContract {
        var current = known
        current.contract = contract
        current.recomputeStatus(at: now, policy: policy)
        try resolveOwner(of: &current)
        let (said, saysNow) = (known.heldContract(policy.catalog), current.heldContract(policy.catalog))
        let isSeen =
            current.status != known.status || current.holders != known.holders
            || said.summary(isHonoured: true) != saysNow.summary(isHonoured: true)
        guard isSeen || current.contract != known.contract || current.userAt != known.userAt else { return known }
        try save(current)
        if isSeen { try append(ContractChange(previous: known, current: current), as: .contractUpdated) }
        return current
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

    init(event: String, before: TrackedContract?, after: TrackedContract) {
        self.event = event
        contract = after.key.lineage
        user = after.user
        previousUser = before?.user
        self.before = before?.status.state
        self.after = after.status.state
        accessUntilBefore = before?.status.accessUntil
        accessUntil = after.status.accessUntil
    }

    public var changesSomething: Bool {
        before != after || accessUntilBefore != accessUntil || previousUser != user
    }
}

/// A contract rebuilt from all of its events. Its registers only rise, so a wrong value that was once the greatest can
/// be removed in no other way.
///
/// Users and claims are separate facts and stay; tokens are only added.
public struct ContractRebuild: Sendable, Equatable {
    /// The contract before its events were read. The rebuild is void if the contract or its events have changed since.
    public let known: Contract
    /// The position of its newest event at that time, within the requested range.
    public let newest: Int64
    /// The id of the last event that was applied.
    public private(set) var event = ""
    private var fresh: Contract?
    private var raised: Contract
    private var isComplete = true
    /// The dates of each token, which older versions did not remember completely.
    private(set) var tokens: [OrderToken: TokenDates] = [:]
    private(set) var charges: [Charge] = []

    public init(_ known: Contract, newest: Int64) {
        self.known = known
        self.newest = newest
        raised = known
    }

    /// Adds an event; the order does not matter. Events of other contracts are ignored.
    public mutating func fold(_ event: Event) {
        guard let observation = event.statement, observation.contract == known.key else { return }
        var contract = fresh ?? Contract(key: known.key, kind: observation.kind)
        _ = contract.apply(observation, event: event.id, signedAt: event.signedAt)
        _ = raised.apply(observation, event: event.id, signedAt: event.signedAt)
        fresh = contract
        self.event = event.id
        charges += observation.charges
        guard let said = StatedToken(observation, of: event) else { return }
        tokens[said.token, default: said.dates].add(said.dates)
    }

    /// Call it if one of the contract's events can no longer be read. Only the registers hold that event's content, so
    /// they may still rise, but not fall.
    public mutating func miss() {
        isComplete = false
    }

    public var contract: Contract {
        guard isComplete, let fresh, fresh.snapshot != nil || fresh.transaction != nil else { return raised }
        return fresh
    }
}
