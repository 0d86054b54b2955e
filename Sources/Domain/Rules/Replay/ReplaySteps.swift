/// A replay in steps, each a separate decision. First the contracts to rebuild are compared with what was read, because
/// events change contracts and what is filed under them. Then every event is applied and each contract is replaced.
/// Last come the owners of related contracts, because they may follow from several of them.
public struct ReplaySteps: Sendable {
    private enum Step {
        case compare([ContractRebuild])
        case apply(Event)
        /// The index of a rebuild.
        case replace(Int)
        case resolveDependents(of: TrackedContract)
    }

    public private(set) var report = ReplayReport()
    private var steps: [Step]
    private var done = 0
    private var rebuilds: [(known: TrackedContract, rebuild: ContractRebuild)] = []

    public init(_ batch: ReplayBatch) {
        steps = [.compare(batch.rebuilds)] + batch.events.map { .apply($0) }
    }

    public var isDone: Bool { done == steps.count }

    /// Takes the next step, with its consequences.
    public mutating func advance(in unit: inout UnitOfWork) throws {
        switch steps[done] {
        case .compare(let candidates): try compare(candidates, in: &unit)
        case .apply(let event): try apply(event, in: &unit)
        case .replace(let index): try replace(index, in: &unit)
        case .resolveDependents(let tracked):
            unit.related.append(tracked)
            try unit.settle()
        }
        done += 1
    }

    private mutating func compare(_ candidates: [ContractRebuild], in unit: inout UnitOfWork) throws {
        var outdated: [ContractKey] = []
        var found: [(known: TrackedContract, rebuild: ContractRebuild)] = []
        for rebuild in candidates {
            if let known = try unit.current(rebuild) {
                found.append((known, rebuild))
            } else {
                outdated.append(rebuild.known.key)
            }
        }
        steps += found.indices.map { .replace($0) }
        rebuilds = found
        report.outdated = outdated
    }

    private mutating func apply(_ event: Event, in unit: inout UnitOfWork) throws {
        let key = event.observation?.contract
        let before = try key.map { try unit.ledger.contract($0) } ?? nil
        let result = try unit.record(IncomingEvent(event, receivedAt: unit.now, isReplay: true))
        try unit.settle()
        let after = try key.map { try unit.ledger.contract($0) } ?? nil
        if let after { report.changes.append(ReplayChange(event: event.id, before: before, after: after)) }
        guard result.outcome != .quarantined else { return }
        for index in rebuilds.indices where rebuilds[index].rebuild.known.key == key {
            rebuilds[index].rebuild.fold(event)
        }
    }

    private mutating func replace(_ index: Int, in unit: inout UnitOfWork) throws {
        let (before, rebuild) = rebuilds[index]
        guard let known = try unit.ledger.contract(rebuild.known.key) else { return }
        for (token, dates) in rebuild.tokens { _ = try unit.add(token, dates: dates, to: known.key) }
        let current = try unit.replace(known, by: rebuild.contract)
        try unit.settle()
        report.changes.append(ReplayChange(event: rebuild.event, before: before, after: current))
        guard known.isRelatedOtherwise(than: current) else { return }
        steps += [.resolveDependents(of: known), .resolveDependents(of: current)]
    }
}

extension UnitOfWork {
    /// The contract as the rebuild read it; nil if the store has said something about it since, even something stale.
    fileprivate func current(_ rebuild: ContractRebuild) throws -> TrackedContract? {
        guard let known = try ledger.contract(rebuild.known.key), known.contract == rebuild.known else { return nil }
        return try ledger.newestEvent(of: known.key) == rebuild.newest ? known : nil
    }

    fileprivate mutating func replace(
        _ known: TrackedContract,
        by contract: Contract
    ) throws -> TrackedContract {
        var current = known
        current.contract = contract
        current.recomputeStatus(at: now, policy: policy)
        try resolveOwner(of: &current)
        let (said, saysNow) = (known.heldContract(policy.catalog), current.heldContract(policy.catalog))
        let isSeen =
            current.status != known.status || current.holders != known.holders
            || said.entitlement(isHonoured: true) != saysNow.entitlement(isHonoured: true)
        guard isSeen || current.contract != known.contract || current.userAt != known.userAt else { return known }
        try save(current)
        if isSeen { try append(ContractChange(previous: known, current: current), as: .contractUpdated) }
        return current
    }
}

extension ReplayChange {
    fileprivate init(event: String, before: TrackedContract?, after: TrackedContract) {
        self.init(
            event: event,
            contract: after.key.lineage,
            user: after.user,
            previousUser: before?.user,
            before: before?.status.state,
            after: after.status.state,
            accessUntilBefore: before?.status.accessUntil,
            accessUntil: after.status.accessUntil
        )
    }
}

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

/// A contract rebuilt from all of its events. Its registers only rise, so a wrong value that was once the greatest can
/// be removed in no other way.
///
/// Users and claims are separate facts and stay; tokens are only added.
public struct ContractRebuild: Sendable, Equatable {
    /// The contract before its events were read. The rebuild is void if the contract or its events have changed since.
    public let known: Contract
    /// The position of its newest event at that time.
    public let newest: Int64
    /// The id of the last event that was applied.
    public private(set) var event = ""
    private var fresh: Contract?
    private var raised: Contract
    private var isComplete = true
    /// The dates of each token, which older versions did not remember completely.
    private(set) var tokens: [OrderToken: TokenDates] = [:]

    public init(_ stored: StoredContract) {
        known = stored.contract
        newest = stored.newest
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
        guard let said = StatedToken(observation, of: event) else { return }
        tokens[said.token, default: TokenDates(said)].add(TokenDates(said))
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

/// A contract as the ledger holds it.
public struct StoredContract: Sendable, Equatable {
    public var contract: Contract
    /// The position of its newest event within the requested range.
    public var newest: Int64

    public init(contract: Contract, newest: Int64) {
        self.contract = contract
        self.newest = newest
    }
}
