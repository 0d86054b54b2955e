import Domain
import Testing

/// One row of the table that maps every store's events to one model, for the stores that are simulated event by event.
struct MappingRow: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var kind: ProductKind
    /// What happened before.
    var past: [String]
    var event: String
    var normalized: EventKind
    /// Google's word beside the event, where it matters.
    var subtype: String?
    /// Nil: the event says nothing about a contract.
    var state: ContractState?
    var fragments: Set<String>
    var product: String?

    init(
        _ name: String,
        event: String,
        after past: [String] = [],
        of kind: ProductKind = .subscription,
        is normalized: EventKind,
        word subtype: String? = nil,
        state: ContractState?,
        fragments: Set<String> = [],
        product: String? = nil
    ) {
        testDescription = name
        self.kind = kind
        self.past = past
        self.event = event
        self.normalized = normalized
        self.subtype = subtype
        self.state = state
        self.fragments = fragments
        self.product = product
    }
}
