import Domain
import Testing

/// What one store sends about one user's purchases, event by event.
protocol StoreTimeline {
    var now: Instant { get set }
    var contractTimeline: ContractTimeline { get set }

    /// The event for `type/subtype`, as the store would send it now.
    func event(_ words: String) throws -> Event
    @discardableResult
    mutating func take(_ event: Event) throws -> ContractTimeline.Step
}

extension StoreTimeline {
    /// `type/subtype`, a minute after the last event.
    @discardableResult
    mutating func say(_ words: String, after pause: Duration = .seconds(60)) throws -> ContractTimeline.Step {
        now = now + pause
        return try take(try event(words))
    }

    var entitlements: EntitlementSet { contractTimeline.entitlements(at: now) }
    var contracts: [ContractKey: Contract] {
        get { contractTimeline.contracts }
        set { contractTimeline.contracts = newValue }
    }

    /// The contracts are the same in whatever order the events arrive. Each arrives twice: a delivery that is not
    /// answered in time is repeated.
    func expectSameContracts(inEveryOrderOf events: [Event]) throws {
        for order in permutations(events) {
            var timeline = self
            timeline.contracts = [:]
            for event in order { try timeline.take(event) }
            for event in order.reversed() { try timeline.take(event) }
            #expect(timeline.contracts == contracts)
        }
    }
}

func permutations<Item>(_ items: [Item]) -> [[Item]] {
    guard let first = items.first else { return [[]] }
    return permutations(Array(items.dropFirst())).flatMap { rest in
        (0...rest.count).map { Array(rest[..<$0]) + [first] + Array(rest[$0...]) }
    }
}
