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
        let before = try key.map { try unit.contract($0) } ?? nil
        let result = try unit.record(IncomingEvent(event, receivedAt: unit.now, isReplay: true))
        try unit.settle()
        let after = try key.map { try unit.contract($0) } ?? nil
        if let after { report.changes.append(ReplayChange(event: event.id, before: before, after: after)) }
        guard result.outcome != .quarantined else { return }
        for index in rebuilds.indices where rebuilds[index].rebuild.known.key == key {
            rebuilds[index].rebuild.fold(event)
        }
    }

    private mutating func replace(_ index: Int, in unit: inout UnitOfWork) throws {
        let (before, rebuild) = rebuilds[index]
        guard let known = try unit.contract(rebuild.known.key) else { return }
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
        guard let known = try contract(rebuild.known.key), known.contract == rebuild.known else { return nil }
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
        let isSeen = current.status != known.status || current.holders != known.holders
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
