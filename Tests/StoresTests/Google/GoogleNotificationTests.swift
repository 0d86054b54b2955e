import Simulator
import Testing

@testable import Domain
@testable import Stores

/// What a push says that the purchase does not.
@Suite struct GoogleNotificationTests {
    private let token = OrderToken.random()
    private let sentAt = GoogleFixture.now + .seconds(60)

    private func delivery(_ type: String) throws -> SimulatedDelivery {
        var facts = SimulatedSubscription(product: "paycast.lifetime", kind: .nonConsumable, lineage: "token.1")
        facts.state = .owned
        let event = SimulatedEvent(type: type, facts: facts, token: token, now: sentAt)
        return try SimulatedGooglePlay(key: GoogleFixture.key.get()).delivery(event)
    }

    /// It names no purchase.
    @Test func reviewNamesTheBuyer() throws {
        let body = try delivery("PENDING_REFUND_REVIEW").body
        let event = GoogleNotification(body).event(GoogleReading(), body: body, now: sentAt)
        #expect(event.account == token.description && event.observation == nil)
    }

    /// However late it is read, and whatever a reading without it said before.
    @Test func endIsDatedByTheVoid() throws {
        let delivery = try delivery("VOIDED_PURCHASE")
        let notification = GoogleNotification(delivery.body)
        let readAt = sentAt + .seconds(86_400)
        let answer = StoredReading.Answer(body: try #require(delivery.documents.first?.json), readAt: readAt)
        let purchase = try #require(
            notification.subject?.purchase(answer, of: SimulatedGooglePlay.package, catalog: Catalog())
        )
        var timeline = ContractTimeline()
        timeline.take(purchase.statement(body: [], id: "statement"), at: readAt)
        #expect(timeline.status(at: readAt)?.state == .revoked)
        timeline.take(notification.event(GoogleReading(purchase: purchase), body: [], now: readAt), at: readAt)
        #expect(timeline.contracts.values.first?.transaction?.transaction.revokedAt == sentAt)
    }
}
