internal import Domain

/// Thrown by a decision that needs something that has not been loaded yet. It is not a failure: load the needs, and
/// decide again.
///
/// A decision may go from contract to contract along a chain of hundreds, such as Google's linked purchases. It would
/// start over at each link, so its engine walks ahead: it loads the needs and calls `advance` until that returns false.
public struct Missing: Error {
    public private(set) var needs: [Need]
    private let walk: Walk?
    /// The needs from which the walk continues, loaded or not.
    private var front: [Need]
    private var asked: Set<Need>
    private var seen: Set<ContractKey>
    /// The number of contracts that a walk passes. Beyond it, the decision asks for them one by one.
    private static let limit = 1000
    /// A decision follows one path through the transfers of users, and the walk follows all.
    private static let transferLimit = 100
    private var transferCount = 0

    /// The way on from a need.
    enum Walk {
        /// To the contracts from which an owner follows, until one has its own owner.
        case toOwner
        /// To the contracts whose owners follow, and to what decides about them.
        case toDependents
    }

    init(_ need: Need) {
        self.init([need], from: [need])
    }

    /// The decision lacks `needs`. It continues from `front`, part of which may be loaded, to contracts that are not in
    /// `seen`.
    init(_ needs: [Need], from front: [Need], walk: Walk? = nil, seen: Set<ContractKey> = []) {
        var asked: Set<Need> = []
        self.front = front.filter { asked.insert($0).inserted }
        self.asked = asked
        self.needs = needs.filter { asked.remove($0) != nil }
        self.walk = walk
        self.seen = seen
    }
}

extension Missing {
    /// Asks for what the decision would ask for next. Call it when its needs are loaded; false means that nothing
    /// follows from them.
    ///
    /// It considers what is known, not what the decision that threw it would have changed. So it may ask for something
    /// unnecessary, or miss something, in which case the decision starts over once more.
    public mutating func advance(in known: WorkingSet) -> Bool {
        repeat {
            let next = step(in: known)
            front = next.filter { asked.insert($0).inserted }
            needs = front.filter { !known.knows($0) }
        } while needs.isEmpty && !front.isEmpty
        return !needs.isEmpty
    }

    private mutating func step(in known: WorkingSet) -> [Need] {
        let transfers = transferCount < Missing.transferLimit ? front.flatMap { known.transfers(after: $0) } : []
        transferCount += transfers.count
        guard let walk, seen.count < Missing.limit else { return transfers }
        switch walk {
        case .toOwner:
            let ring = front.flatMap { known.contracts(of: $0) }.filter { seen.insert($0.key).inserted }
            // The nearest owner counts.
            guard !ring.contains(where: { $0.userAt != nil }) else { return [] }
            return ring.flatMap(\.relatedNeeds)
        case .toDependents:
            let dependents = front.flatMap { known.dependents(of: $0) }.filter { seen.insert($0.key).inserted }
            return transfers + dependents.flatMap(\.ownerNeeds) + front.flatMap { known.orders(of: $0) }
        }
    }
}

/// The needs that follow from one that is loaded.
extension WorkingSet {
    fileprivate func contracts(of need: Need) -> [TrackedContract] {
        switch need {
        case .contract(let key): [contract(key) ?? nil].compactMap { $0 }
        case .contracts(let index): (keys(of: index) ?? []).compactMap { contract($0) ?? nil }
        default: []
        }
    }

    /// The contracts of a list whose owners follow from others.
    fileprivate func dependents(of need: Need) -> [TrackedContract] {
        guard case .contracts = need else { return [] }
        return contracts(of: need).filter { $0.userAt == nil }
    }

    fileprivate func orders(of need: Need) -> [Need] {
        guard case .facts(let key) = need else { return [] }
        return facts(of: key)?.tokens.keys.map { .order($0) } ?? []
    }

    /// Something that was transferred to a user may have been transferred again.
    fileprivate func transfers(after need: Need) -> [Need] {
        guard case .transfers(var source) = need else { return [] }
        return (transfers(from: source) ?? []).map { target in
            source.user = target.user
            return .transfers(source)
        }
    }
}
