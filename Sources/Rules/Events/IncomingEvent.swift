public import Domain

/// One event on its way into the ledger.
public struct IncomingEvent: Sendable {
    public var event: Event
    /// The user who posted the event, if the store did not.
    public var claim: Claim?
    public var receivedAt: Instant
    /// True if the event is applied again: it is already stored, and matters only if it changes something.
    var isReplay: Bool
    /// True for a further product of a purchase that has just been made.
    var isBeside = false

    public init(_ event: Event, claim: Claim? = nil, receivedAt: Instant, isReplay: Bool = false) {
        self.event = event
        self.claim = claim
        self.receivedAt = receivedAt
        self.isReplay = isReplay
    }

    /// The same delivery, with another event and claim.
    func saying(_ event: Event, claim: Claim?) -> IncomingEvent {
        var incoming = self
        incoming.event = event
        incoming.claim = claim
        return incoming
    }

    /// The rows that its decision asks for first.
    public var needs: [Need] {
        var needs: [Need] = ([event] + event.lines).map { .event(EventKey($0)) }
        for observation in [event.observation].compactMap({ $0 }) + event.further {
            needs.append(.contract(observation.contract))
            needs.append(.facts(of: observation.contract))
            if let token = observation.token { needs.append(.order(token)) }
        }
        if let alias = event.transfer, event.observation != nil {
            for environment in alias.environments(of: event) {
                needs += alias.sources(provider: event.provider, environment: environment).map { .transfers($0) }
            }
        }
        return needs
    }

    /// The rows that it asks for next, as far as `known` shows, which may already have its `needs`. A decision starts
    /// over whenever it asks for something, and a distant engine is asked for everything at once.
    public func likelyNeeds(in known: WorkingSet) -> [Need] {
        guard (known.position(of: EventKey(event)) ?? nil) == nil else { return [] }
        var needs: [Need] = []
        var users = [event.observation?.user, claim?.user].compactMap { $0 }
        needs += users.map { .tombstones(of: [.user($0)]) }
        for observation in [event.observation].compactMap({ $0 }) + event.further {
            if let contract = known.contract(observation.contract) ?? nil {
                users += contract.holders
            } else {
                needs += observation.needsOfNewContract
            }
            if let token = observation.token, let order = known.order(token) ?? nil { users.append(order.user) }
        }
        return needs + users.flatMap { [.contracts(.held(by: $0)), .language(of: $0)] }
    }
}

extension Observation {
    fileprivate var needsOfNewContract: [Need] {
        var needs: [Need] = [.tombstones(of: identities), .contracts(.replacing(contract))]
        if let account { needs.append(.contracts(.ofAccount(contract.with(lineage: account)))) }
        if let previousLineage { needs.append(.contract(contract.with(lineage: previousLineage))) }
        if contract.lineBounds != nil { needs.append(.contracts(.lines(of: contract))) }
        return needs
    }
}
