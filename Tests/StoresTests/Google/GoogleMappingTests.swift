import Simulator
import Testing

@testable import Domain

/// The Google column of the table that maps every store's events to one model, row by row.
@Suite struct GoogleMappingTests {
    typealias Row = MappingRow

    @Test(arguments: beginnings + changes + ends + purchases) func means(_ row: Row) throws {
        let isSubscription = row.kind == .subscription
        var timeline = try GoogleTimeline(
            SimulatedSubscription(
                product: isSubscription ? "paycast.pro.monthly" : "paycast.lifetime",
                kind: row.kind,
                lineage: "token.1"
            ),
            catalog: Catalog(["paycast.lifetime": .init(kind: row.kind)])
        )
        for event in row.past { try timeline.say(event) }
        let step = try timeline.say(row.event)
        #expect(step.event.kind == row.normalized)
        #expect(step.event.subtype == row.subtype)
        #expect(step.state == row.state)
        #expect(Set(step.fragments) == row.fragments)
        if let product = row.product { #expect(step.product == product) }
    }

    /// Row 28 names a buyer and no purchase.
    @Test func reviewNamesTheBuyer() throws {
        let timeline = try GoogleTimeline()
        let event = try timeline.event("PENDING_REFUND_REVIEW")
        #expect(event.account == timeline.token.description && event.observation == nil)
    }

    /// Row 35: what is read carries the account of today; whose the contract is follows in the ledger.
    @Test func tokenIsSeenWithAnotherAccount() throws {
        var timeline = try GoogleTimeline()
        try timeline.say("SUBSCRIPTION_PURCHASED")
        timeline.token = .random()
        try timeline.say("SUBSCRIPTION_RENEWED")
        #expect(timeline.contracts.values.first?.token?.value == timeline.token)
        #expect(timeline.contracts.values.first?.account?.value == timeline.token.description)
    }
}
