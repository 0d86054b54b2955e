internal import Domain

/// What is delivered twice is one event.
extension UnitOfWork {
    /// Answers an event that was committed before. It changes nothing, but a claim of another user that comes with it
    /// may.
    mutating func answerAgain(_ incoming: IncomingEvent, first: Int64) throws(Missing) -> CommitResult {
        let event = incoming.event
        var result = CommitResult(outcome: .duplicate, event: event.id, cursor: cursor(first))
        guard let claim = incoming.claim, let observation = event.observation else { return result }
        guard let known = try contract(observation.contract) else {
            result.claim = .refused
            return result
        }
        var current = known
        result.claim = try apply(claim, of: observation, on: &current, incoming: incoming)
        guard current.isHeldOtherwise(than: known) else { return result }
        current.recomputeStatus(at: now, policy: policy)
        try save(current)
        let change = ContractChange(previous: known, current: current)
        try append(change, as: change.moveKind)
        result.cursor = cursor(head)
        try resolveOwners(of: dependents(of: current))
        return result
    }
}
