internal import Domain
internal import Simulator

/// One thing that was done on behalf of a store, and its result.
struct TriggeredDelivery {
    enum Deed: Equatable {
        case delivered
        case repeated(Int)
        case tampered
        /// An older statement of the store was delivered after the newer one.
        case stale
        /// Not delivered: only the store's history contains it.
        case lost

        var note: String? {
            switch self {
            case .delivered: nil
            case .repeated(let number): "duplicate \(number)"
            case .tampered: "tampered"
            case .stale: "stale"
            case .lost: "lost"
            }
        }
    }

    var step: Scenario.Step
    var deed: Deed
    /// Nil if the event was lost.
    var delivery: StoreDriver.Delivery?
    var signedAt: Instant

    /// The fault in the server's answer.
    var complaint: PlayError? {
        guard let delivery else { return nil }
        guard deed != .tampered else {
            return (400..<500).contains(delivery.status) ? nil : .tamperingAccepted(status: delivery.status)
        }
        guard delivery.isTaken else { return .refused(delivery) }
        if case .repeated = deed, let outcome = delivery.outcome, outcome != Outcome.duplicate.rawValue {
            return .outcome(outcome, expected: Outcome.duplicate.rawValue)
        }
        guard let expected = step.outcome, deed == .delivered, delivery.outcome != expected else { return nil }
        return .outcome(delivery.outcome, expected: expected)
    }
}
