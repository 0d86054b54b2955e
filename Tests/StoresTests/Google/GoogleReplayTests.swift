import Encoding
import Simulator
import Stores
import Synchronization
import TestSupport
import Testing

@testable import Domain

/// What the ledger keeps of Google, read once more.
@Suite struct GoogleReplayTests {
    private static let now = GoogleFixture.now

    /// What Google says today is not what it said then: it is not asked.
    @Test(arguments: ["SUBSCRIPTION_RENEWED", "SUBSCRIPTION_EXPIRED/billing", "SUBSCRIPTION_REVOKED"])
    func storedNotificationMeansTheSame(_ words: String) throws {
        let fixture = try GoogleFixture()
        let parts = words.split(separator: "/").map(String.init)
        let facts = SimulatedSubscription(product: "paycast.pro.monthly", lineage: "token.1")
        let event = try fixture.reader.verify(try fixture.delivery(parts[0], facts: facts), now: Self.now)
        let asked = fixture.server.requests.count
        let again = try #require(try fixture.reader.interpret(Self.stored(event)))
        #expect(fixture.server.requests.count == asked)
        #expect(again.observation == event.observation && event.observation?.snapshot != nil)
        #expect((again.id, again.app, again.environment) == (event.id, event.app, event.environment))
        #expect((again.type, again.subtype, again.kind) == (event.type, event.subtype, event.kind))
        #expect(again.signedAt == event.signedAt && again.body == event.body)
        // Acknowledged once.
        #expect(again.jobs.isEmpty)
    }

    /// Older versions knew a void by its message: once more, it is the same event.
    @Test func storedVoidKeepsItsName() throws {
        let fixture = try GoogleFixture()
        let event = try fixture.reader.verify(try fixture.delivery("VOIDED_PURCHASE"), now: Self.now)
        #expect(event.id.hasPrefix("void:GPA."))
        for id in [event.id, "7"] {
            var stored = Self.stored(event)
            stored.id = id
            let again = try #require(try fixture.reader.interpret(stored))
            #expect(again.id == id && again.observation == event.observation)
        }
    }

    @Test func storedStatementMeansTheSame() throws {
        let fixture = try GoogleFixture()
        let contract = try #require(
            try fixture.reader.verify(try fixture.delivery("SUBSCRIPTION_RENEWED"), now: Self.now).observation?.contract
        )
        let event = try #require(try fixture.api.statement(of: contract, now: Self.now))
        let again = try #require(try fixture.reader.interpret(Self.stored(event)))
        #expect(again.id == event.id && again.observation == event.observation && again.signedAt == event.signedAt)
        #expect(again.jobs.isEmpty && !event.jobs.isEmpty)
    }

    /// The catalog says today what was bought then.
    @Test func storedPurchaseIsReadByTheCatalogOfNow() throws {
        let fixture = try GoogleFixture()
        let facts = SimulatedSubscription(product: "coins", kind: .nonConsumable, lineage: "token.1")
        let event = try fixture.reader.verify(
            try fixture.delivery("ONE_TIME_PRODUCT_PURCHASED", facts: facts),
            now: Self.now
        )
        #expect(event.observation?.kind == .nonConsumable)
        let today = try GoogleFixture(catalog: Catalog(["coins": .init(kind: .consumable)]))
        #expect(try today.reader.interpret(Self.stored(event))?.observation?.kind == .consumable)
    }

    @Test func storedAnswerWithoutAPurchaseStaysUnreadable() throws {
        let fixture = try GoogleFixture()
        let delivery = try fixture.delivery("SUBSCRIPTION_RENEWED")
        fixture.trouble.answer.withLock { $0 = .init(200, body: "{}") }
        let event = try fixture.reader.verify(delivery, now: Self.now)
        let again = try #require(try fixture.reader.interpret(Self.stored(event)))
        #expect(again.subtype == "unreadable_purchase" && again.observation == nil && again.id == event.id)
    }

    /// As an older version kept them, or as nobody ever did.
    @Test(arguments: [
        "", "{}", "null", #"{"reading":"{}","readAt":1}"#, #"{"notification":"{}","reading":"{}","readAt":1}"#,
        #"{"notification":"","purchaseToken":"t","reading":"{}","readAt":1}"#,
        #"{"purchaseToken":"t","reading":"{}","readAt":1}"#, #"{"purchaseToken":"t","reading":"","readAt":1}"#,
        #"{"purchaseToken":"t","reading":"{}","readAt":9223372036854775808}"#,
        #"{"purchaseToken":"t","reading":"{\"subscriptionState\":\"SUBSCRIPTION_STATE_ACTIVE\"}","readAt":1}"#,
    ]) func otherBodiesAreNoRecords(_ body: String) throws {
        let fixture = try GoogleFixture()
        let bare = try fixture.delivery("SUBSCRIPTION_RENEWED").body
        for bytes in [Array(body.utf8), bare, [0xFF]] {
            let stored = StoredDelivery(id: "1", body: bytes, environment: .sandbox, app: "a", receivedAt: Self.now)
            #expect(try fixture.reader.interpret(stored) == nil)
        }
    }

    @Test func storedNotificationOfAnotherAppIsRefused() throws {
        let fixture = try GoogleFixture()
        let event = try fixture.reader.verify(try fixture.delivery("SUBSCRIPTION_RENEWED"), now: Self.now)
        let other = try GoogleFixture(packages: .only(["com.example.other"]))
        #expect(throws: VerificationError.wrongApp) { try other.reader.interpret(Self.stored(event)) }
    }

    /// With payload unwrapping, Pub/Sub sends the notification itself, without its own message id.
    @Test func readsAnUnwrappedPush() throws {
        let fixture = try GoogleFixture()
        var delivery = try fixture.delivery("SUBSCRIPTION_PURCHASED")
        let wrapped = try fixture.reader.verify(delivery, now: Self.now)
        let message = try #require(try StoreObject(delivery.body).object("message"))
        delivery.body = try #require(message.text("data").flatMap { Base64.decode($0) })
        let event = try fixture.reader.verify(delivery, now: Self.now)
        #expect(event.type == "SUBSCRIPTION_PURCHASED")
        #expect(event.observation?.token == wrapped.observation?.token)
        #expect(event.observation?.snapshot?.state == .active)
        #expect(event.id.hasPrefix("body:"))
        #expect(try fixture.reader.verify(delivery, now: Self.now).id == event.id)
        #expect(try fixture.reader.interpret(Self.stored(event))?.observation == event.observation)
    }

    private static func stored(_ event: Event) -> StoredDelivery {
        StoredDelivery(
            id: event.id,
            body: event.body,
            environment: event.environment,
            app: event.app,
            receivedAt: now
        )
    }
}
