public import Domain

/// One event on its way into the ledger.
public struct IncomingEvent: Sendable {
    public var event: Event
    /// The user who posted the event, when it was not the store.
    public var claim: Claim?
    public var receivedAt: Instant
    /// True when the event is applied once more: it is stored already, and matters only where it changes something.
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

    /// What its decision asks for first.
    public var needs: [Need] {
        var needs: [Need] = ([event] + event.lines).map { .event(EventKey($0)) }
        for observation in [event.observation].compactMap({ $0 }) + event.further {
            needs.append(.contract(observation.contract))
            needs.append(.facts(of: observation.contract))
            if let token = observation.token { needs.append(.order(token)) }
        }
        return needs
    }

    /// What it asks for next, if the contract is new: an engine that is far away is asked for both at once.
    public var likelyNeeds: [Need] {
        var needs: [Need] = []
        for observation in [event.observation].compactMap({ $0 }) + event.further {
            let key = observation.contract
            needs += [.tombstones(of: observation.identities), .contracts(.replacing(key))]
            if let account = observation.account { needs.append(.contracts(.ofAccount(key.with(lineage: account)))) }
            if let previous = observation.previousLineage { needs.append(.contract(key.with(lineage: previous))) }
            if key.lineBounds != nil { needs.append(.contracts(.lines(of: key))) }
        }
        for user in [event.observation?.user, claim?.user].compactMap({ $0 }) {
            needs += [.tombstones(of: [.user(user)]), .contracts(.held(by: user)), .language(of: user)]
        }
        return needs
    }
}
