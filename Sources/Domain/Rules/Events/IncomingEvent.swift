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
}
