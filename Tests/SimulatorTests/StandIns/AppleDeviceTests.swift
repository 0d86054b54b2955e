import Crypto
import Domain
import Encoding
import Synchronization
import Testing

@testable import Simulator

/// The App Store as the demo's phone sees it.
@Suite struct AppleDeviceTests {
    private static let authority = Result { try DevelopmentAuthority.create() }
    private static let annual = "paycast.pro.annual"
    private static let monthly = "paycast.pro.monthly"
    private static let order = "a5af9b36-0e4d-4665-8351-0e4003752165"

    private final class Time: Sendable {
        private let instant = Mutex(Instant(milliseconds: 1_767_225_600_000))

        func now() -> Instant { instant.withLock { $0 } }
        func pass(_ duration: Duration) { instant.withLock { $0 = $0 + duration } }
    }

    private let time = Time()
    private let store: AppleStandIn

    init() throws {
        let authority = try Self.authority.get()
        let signer = AppStoreSigner(chain: authority.chain, key: authority.leafKey)
        store = AppleStandIn(signer: signer, app: "com.example.own", now: time.now) { nil }
    }

    private struct Transaction {
        var id: String
        var originalId: String
        var product: String
        var signedDate: Int64
        var jws: String

        init(_ json: JSONNode?) throws {
            id = try #require(json?["id"]?.text)
            originalId = try #require(json?["originalId"]?.text)
            product = try #require(json?["product"]?.text)
            signedDate = try #require(json?["signedDate"]?.integer)
            jws = try #require(json?["jws"]?.text)
        }
    }

    private struct Receipt {
        var transaction: Transaction
        /// The notification's payload.
        var notification: String?

        init(_ body: [UInt8]) throws {
            let json = JSONNode(body)
            transaction = try Transaction(json?["transaction"])
            notification = json?["notification"]?["signedPayload"]?.text
        }
    }

    private func ask(
        _ method: String,
        _ path: String,
        body: String = "",
        query: [String: String] = [:]
    ) -> StandInAnswer? {
        store.answer(StandInRequest(method: method, path: path, query: { query[$0] }, body: Array(body.utf8)))
    }

    private func buy(_ product: String = annual, account: String = "ana", order: String = order) throws -> Receipt {
        let body = #"{"account":"\#(account)","product":"\#(product)","order":"\#(order)"}"#
        let answer = try #require(ask("POST", "/device/purchases", body: body))
        #expect(answer.status == 200)
        return try Receipt(answer.body)
    }

    private func entitlements(of account: String = "ana") throws -> [Transaction] {
        let answer = try #require(ask("GET", "/device/entitlements", query: ["account": account]))
        return try list("transactions", of: answer).map { try Transaction($0) }
    }

    private func list(_ name: String, of answer: StandInAnswer) throws -> [JSONNode] {
        let list = try #require(JSONNode(answer.body)?[name])
        guard case .array(let items) = list else { return [] }
        return items
    }

    /// What the notification says of the purchase.
    private func statement(_ notification: String?) throws -> DecodedNotification.Statement {
        let payload = try #require(notification)
        return try #require(DecodedNotification(Array(#"{"signedPayload":"\#(payload)"}"#.utf8))?.statement)
    }

    @Test func aPurchaseAndItsNotificationAreOne() throws {
        let receipt = try buy()
        let said = try statement(receipt.notification).transaction
        #expect(receipt.transaction.id == said[text: "transactionId"])
        #expect(receipt.transaction.originalId == said.lineage)
        #expect(receipt.transaction.product == Self.annual)
        #expect(said[text: "appAccountToken"] == Self.order)
        #expect(said[text: "bundleId"] == "com.example.own")
        #expect(receipt.transaction.jws.split(separator: ".").count == 3)
    }

    @Test func whatTheAccountHasIsNotSoldTwice() throws {
        let bought = try buy()
        time.pass(.seconds(60))
        let again = try buy(Self.monthly)
        #expect(again.notification == nil)
        #expect(again.transaction.id == bought.transaction.id)
        #expect(again.transaction.signedDate == bought.transaction.signedDate + 60_000)
    }

    @Test func entitlementsEndWithTheirPeriodAndComeBack() throws {
        #expect(try entitlements().isEmpty)
        let bought = try buy(Self.monthly).transaction
        #expect(try entitlements().map(\.id) == [bought.id])
        #expect(try entitlements(of: "ben").isEmpty)
        time.pass(.days(31))
        #expect(try entitlements().isEmpty)
        let back = try buy(Self.monthly)
        #expect(try statement(back.notification).transaction.lineage == bought.originalId)
        #expect(back.transaction.id != bought.id)
        #expect(try entitlements().map(\.id) == [back.transaction.id])
    }

    /// The notification that a server was sent later ends what the purchase began.
    @Test func aRefundTakesItAway() throws {
        _ = try buy()
        time.pass(.seconds(60))
        let authority = try Self.authority.get()
        var facts = SimulatedSubscription(product: Self.annual, order: try #require(OrderToken(Self.order)))
        facts.state = .active
        let event = SimulatedEvent(type: "REFUND", facts: facts, app: "com.example.own", now: time.now())
        let signer = AppStoreSigner(chain: authority.chain, key: authority.leafKey)
        let refund = try SimulatedAppStore(signer: signer).delivery(event)
        let body = String(decoding: refund.body, as: UTF8.self)
        #expect(ask("PUT", "/notifications/\(refund.event)", body: body)?.status == 200)
        #expect(try entitlements().isEmpty)
    }

    /// K and the Kelvin sign are one to `String`.
    @Test func accountsAreComparedAsBytes() throws {
        _ = try buy(account: "K")
        #expect(try entitlements(of: "\u{212A}").isEmpty)
    }

    @Test func productsHaveTheirPrices() throws {
        let products = try list("products", of: #require(ask("GET", "/device/products")))
        #expect(products.map { $0["id"]?.text } == [Self.monthly, Self.annual])
        #expect(products.map { $0["price"]?.integer } == [9990, 79_990])
        #expect(products.map { $0["days"]?.integer } == [30, 365])
        #expect(products.allSatisfy { $0["currency"]?.text == "USD" })
    }

    struct Wrong: Sendable, CustomTestStringConvertible {
        var method = "POST"
        var path = "/device/purchases"
        var body = ""
        var status: Int?

        var testDescription: String { "\(method) \(path) \(body)" }
    }

    @Test(arguments: [
        Wrong(status: 400), Wrong(body: "[]", status: 400), Wrong(body: "{}", status: 400),
        Wrong(body: #"{"account":"","product":"\#(annual)","order":"\#(order)"}"#, status: 400),
        Wrong(body: #"{"account":"ana","product":"\#(annual)","order":"7"}"#, status: 400),
        Wrong(body: #"{"account":"ana","product":"x","order":"\#(order)"}"#, status: 404),
        Wrong(method: "GET", path: "/device/entitlements", status: 400),
        Wrong(method: "GET"), Wrong(path: "/device/products"), Wrong(path: "/device"), Wrong(path: "/device/x"),
    ]) func otherQuestionsAreRefused(_ wrong: Wrong) throws {
        #expect(ask(wrong.method, wrong.path, body: wrong.body)?.status == wrong.status)
        #expect(try entitlements().isEmpty)
    }
}
