import Simulator
import Testing

@testable import Domain

/// The Stripe column of the table that maps every store's events to one model, row by row.
@Suite struct StripeMappingTests {
    typealias Row = MappingRow

    @Test(arguments: beginnings + changes + troubles + purchases, SimulatedStripe.Shape.allCases)
    func means(_ row: Row, shape: SimulatedStripe.Shape) throws {
        let isSubscription = row.kind == .subscription
        var timeline = try StripeTimeline(
            SimulatedSubscription(
                product: isSubscription ? "paycast.pro.monthly" : "paycast.lifetime",
                kind: row.kind,
                lineage: isSubscription ? "sub_1" : "pi_1"
            ),
            shape: shape,
            catalog: Catalog(["paycast.lifetime": .init(kind: row.kind)])
        )
        for event in row.past { try timeline.say(event) }
        let step = try timeline.say(row.event)
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
