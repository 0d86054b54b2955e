internal import Domain

/// A genuine event that contradicts its order is quarantined: it gives no access until somebody has looked at it.
extension UnitOfWork {
    /// The order that the statement names, if the purchase cannot be the one that the order was made for.
    func contradictedOrder(by observation: Observation, about known: TrackedContract?) throws -> Order? {
        guard let token = observation.token, let order = try order(token) else { return nil }
        let group = observation.group ?? known?.contract.group?.value
        let provider = observation.contract.provider
        return order.contradicts(provider: provider, group: group, kind: observation.kind) ? order : nil
    }

    /// Files the event without its contract, so that it changes nothing, and refuses the claim that came with it.
    mutating func quarantine(
        _ observation: Observation,
        order: Order,
        incoming: IncomingEvent
    ) throws -> CommitResult {
        var notice = Notice(kind: incoming.event.kind)
        notice.contract = observation.contract.lineage
        notice.order = order.token
        notice.product = observation.snapshot?.product ?? observation.transaction?.product
        var result = try file(incoming, outcome: .quarantined, notice: notice)
        result.claim = incoming.claim.map { _ in .refused }
        return result
    }
}
