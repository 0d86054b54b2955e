internal import Domain
internal import Simulator

/// One thing that was done on behalf of a store, and what came of it.
struct Act {
    enum Deed: Equatable {
        case delivered
        case repeated(Int)
        case tampered
        /// What the store had said before, after what it says now.
        case stale
        /// Not delivered at all: only the store's history knows of it.
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
    /// Nil when it was lost.
    var delivery: StoreDriver.Delivery?
    var signedAt: Instant

    /// What is wrong with the server's answer.
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
