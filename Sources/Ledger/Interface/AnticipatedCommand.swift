public import Domain
public import Rules

/// A command of a batch, tried in advance to learn what it will load.
public struct AnticipatedCommand {
    /// The rows that its decision asks for first.
    public private(set) var needs: [Need] = []
    public private(set) var key: IdempotencyKey?
    public let decide: (inout UnitOfWork) throws(Missing) -> Void

    public init(_ decide: @escaping (inout UnitOfWork) throws(Missing) -> Void) {
        self.decide = decide
    }

    public init(_ event: IncomingEvent) {
        needs = event.needs + event.likelyNeeds(in: WorkingSet(head: 0))
        decide = { unit throws(Missing) in _ = try unit.record(event) }
    }

    public init(_ fragments: [Fragment], once request: KeyedRequest) {
        key = request.key
        decide = { unit throws(Missing) in _ = try unit.broadcast(fragments) }
    }
}
