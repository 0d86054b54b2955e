import Domain
import Simulator
import Testing

/// The Google column of the table that maps every store's events to one model, row by row.
@Suite struct GoogleMappingTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var kind: ProductKind
        /// What happened before.
        var past: [String]
        var event: String
        var normalized: EventKind
        var subtype: String?
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
            word subtype: String? = nil,
            _ state: ContractState?,
            _ fragments: Set<String> = [],
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

    @Test(arguments: beginnings + lives + ends + purchases) func means(_ row: Row) throws {
        let isSubscription = row.kind == .subscription
        var story = try GoogleStory(
            SimulatedSubscription(
                product: isSubscription ? "paycast.pro.monthly" : "paycast.lifetime",
                kind: row.kind,
                lineage: "token.1"
            ),
            catalog: Catalog(["paycast.lifetime": .init(kind: row.kind)])
        )
        for event in row.past { try story.say(event) }
        let step = try story.say(row.event)
        #expect(step.event.kind == row.normalized)
        #expect(step.event.subtype == row.subtype)
        #expect(step.state == row.state)
        #expect(Set(step.fragments) == row.fragments)
        if let product = row.product { #expect(step.product == product) }
    }

    /// Row 28 names a buyer and no purchase.
    @Test func reviewNamesTheBuyer() throws {
        let story = try GoogleStory()
        let event = try story.event("PENDING_REFUND_REVIEW")
        #expect(event.account == story.token.description && event.observation == nil)
    }

    /// Row 35: what is read carries the account of today; whose the contract is follows in the ledger.
    @Test func tokenIsSeenWithAnotherAccount() throws {
        var story = try GoogleStory()
        try story.say("SUBSCRIPTION_PURCHASED")
        story.token = .random()
        try story.say("SUBSCRIPTION_RENEWED")
        #expect(story.contracts.values.first?.token?.value == story.token)
        #expect(story.contracts.values.first?.account?.value == story.token.description)
    }
}
