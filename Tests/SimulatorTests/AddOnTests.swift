import Crypto
import Domain
import Stores
import TestSupport
import Testing

@testable import Simulator

/// What a simulated purchase holds besides is read as contracts of their own.
@Suite struct AddOnTests {
    private static let now = Instant(milliseconds: 1_767_225_600_000)
    private static let end = now + .seconds(20 * 86_400)

    private func event(_ type: String) -> SimulatedEvent {
        var facts = SimulatedSubscription(product: "paycast.pro.monthly", lineage: "2000")
        facts.addOns = [
            SimulatedAddOn(product: "paycast.storage"),
            SimulatedAddOn(product: "paycast.team", accessUntil: Self.end, autoRenew: false),
        ]
        return SimulatedEvent(type: type, facts: facts, token: .random(), now: Self.now, id: "1")
    }

    @Test func googlesAddOnsEndByThemselves() throws {
        let delivery = try SimulatedGooglePlay(key: .generate()).delivery(event("SUBSCRIPTION_PURCHASED"))
        let purchase = GooglePurchase(
            subscription: try #require(delivery.documents.first).json,
            token: "T",
            package: SimulatedGooglePlay.package,
            catalog: Catalog(),
            readAt: Self.now
        )
        let verified = try #require(purchase).statement(body: [], id: "e")
        #expect(verified.observation?.snapshot?.product == "paycast.pro.monthly")
        #expect(
            verified.isWhole && verified.further.map(\.contract.lineage) == ["T#paycast.storage", "T#paycast.team"]
        )
        let snapshots = verified.further.compactMap(\.snapshot)
        #expect(snapshots.map(\.accessUntil) == [verified.observation?.snapshot?.accessUntil, Self.end])
        #expect(snapshots.map(\.autoRenew) == [true, false])
    }

    @Test(arguments: SimulatedStripe.Shape.allCases) func stripesItemsEndTogether(_ shape: SimulatedStripe.Shape) throws
    {
        let secret = "whsec_0123456789abcdef"
        let delivery = try SimulatedStripe(secret: secret, shape: shape)
            .delivery(event("customer.subscription.created"))
        let posted = Delivery(body: delivery.body, authorization: nil, signature: delivery.headers.first?.1)
        let verified = try #require(StripeVerifier(secrets: [secret])).verify(posted, now: Self.now)
        #expect(verified.observation?.snapshot?.product == "paycast.pro.monthly")
        #expect(verified.further.map(\.snapshot?.product) == ["paycast.storage", "paycast.team"])
        #expect(
            verified.isWhole && verified.further.allSatisfy { $0.snapshot == nil || $0.snapshot?.autoRenew == true }
        )
        #expect(Set(verified.further.map(\.snapshot?.accessUntil)) == [verified.observation?.snapshot?.accessUntil])
    }
}
