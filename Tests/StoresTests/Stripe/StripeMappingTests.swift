import Domain
import Simulator
import Testing

/// The Stripe column of the table that maps every store's events to one model, row by row.
@Suite struct StripeMappingTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var kind: ProductKind
        /// What happened before.
        var past: [String]
        var event: String
        var normalized: EventKind
        /// Nil: it says nothing of a contract.
        var state: ContractState?
        var fragments: Set<String>
        var product: String?

        init(
            _ name: String,
            _ event: String,
            after past: [String] = [],
            of kind: ProductKind = .subscription,
            is normalized: EventKind,
            _ state: ContractState?,
            _ fragments: Set<String> = [],
            product: String? = nil
        ) {
            testDescription = name
            self.kind = kind
            self.past = past
            self.event = event
            self.normalized = normalized
            self.state = state
            self.fragments = fragments
            self.product = product
        }
    }

    @Test(arguments: beginnings + lives + troubles + purchases, SimulatedStripe.Shape.allCases)
    func means(_ row: Row, _ shape: SimulatedStripe.Shape) throws {
        let isSubscription = row.kind == .subscription
        var story = try StripeStory(
            SimulatedSubscription(
                product: isSubscription ? "paycast.pro.monthly" : "paycast.lifetime",
                kind: row.kind,
                lineage: isSubscription ? "sub_1" : "pi_1"
            ),
            shape: shape,
            catalog: Catalog(["paycast.lifetime": .init(kind: row.kind)])
        )
        for event in row.past { try story.say(event) }
        let step = try story.say(row.event)
        #expect(step.event.kind == row.normalized)
        #expect(step.state == row.state)
        #expect(Set(step.fragments) == row.fragments)
        if let product = row.product { #expect(step.product == product) }
    }

    /// Row 35. Only the label: who owns the contract follows from the order and the customer.
    @Test func customerChanged() throws {
        let event = try StripeSpecimen { document in
            document["type"] = "customer.subscription.updated"
            document["data"]?["previous_attributes"] = ["customer": "cus_0"]
        }.verify()
        #expect(event.kind == .contractTransferred)
        #expect(event.observation?.account == "cus_1")
    }
}
