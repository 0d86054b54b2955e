import Domain
import Encoding
import HTTPClient
import Support
import TestSupport
import Testing

@testable import Simulator

/// A search for what customers have in hand, which only the store knows.
@Suite(.blocking) struct LookupJourneyTests {
    private static let lineage = "1000000000000001"

    private func purchase(_ app: AppPost, token: OrderToken? = nil) -> SimulatedEvent {
        var purchase = app.purchase(Self.lineage, token: token)
        purchase.environment = .production
        return purchase
    }

    /// The id of its charge, which is a renewal's as good as the first one's.
    private func charge(_ app: AppPost, _ purchase: SimulatedEvent) throws -> String {
        let parts = try app.store.transaction(purchase).split(separator: ".")
        let payload = try #require(Base64URL.decode(String(parts[1])).flatMap { JSONNode($0) })
        return try #require(payload["transactionId"]?.text)
    }

    @Test func anOrderIDLeadsToWhoeverHasIt() throws {
        let app = try AppPost(ConsoleVisitor.settings)
        let desk = try ConsoleVisitor(app)
        let bought = purchase(app, token: try app.order(of: "42"))
        let order = SimulatedAppStore.orderID(of: try charge(app, bought))
        let nothing = try desk.search(order).body
        #expect(nothing.contains("Apple knows none of this name for your apps"), "\(nothing)")
        #expect(try app.remember(bought).status == 200)
        // Apple knows it, and its message never came.
        let lost = try desk.search(order).body
        #expect(lost.contains("Apple knows it: \(Self.lineage) (paycast.pro.monthly, Production"), "\(lost)")
        #expect(lost.contains("It is nobody’s yet"), "\(lost)")
        #expect(try app.webhook(bought)["outcome"] == "applied")
        for name in [order, order.lowercased(), try charge(app, bought)] {
            let found = try desk.search(name).body
            #expect(found.contains("\(Self.lineage)</bdi> is a contract of <bdi>42"), "\(name): \(found)")
        }
        // Nobody is asked what is known here, or by whom it is not wanted.
        let plain = try app.get("/search?q=\(order)").body
        #expect(plain == #"{"asked":[],"found":[],"query":"\#(order)"}"#, "\(plain)")
    }

    /// On a server without Apple, who typed an order ID is told that it is one; what may be anything else is not guessed at.
    @Test func anOrderIDIsKnownForOneWhereAppleIsNotServed() throws {
        let key = "key-key-key-key-key-key"
        let settings = [
            "PAYCAST_API_KEY": key, "PAYCAST_STREAM_KEYS": "stream-stream-stream-0",
            "PAYCAST_STRIPE_SECRETS": "whsec_0123456789abcdef",
        ]
        let server = try PaycastServer([], environment: settings)
        let searched = { (name: String) throws in
            let url = "\(server.url)/search?q=\(name)&stores=true"
            let headers = [("Authorization", "Bearer \(key)")]
            let answer = try HTTPClient(timeout: .seconds(60)).send("GET", to: url, headers: headers)
            return String(decoding: answer.body, as: UTF8.self)
        }
        let order = try searched("MQ3X7H9K2P")
        #expect(order.contains(#""kind":"an order ID""#) && order.contains("PAYCAST_APPLE_BUNDLE_ID"), "\(order)")
        for name in ["maria2024", "2000000123456789", "42"] {
            #expect(try searched(name).contains(#""asked":[]"#), "\(name)")
        }
    }

    @Test func aSearchAsksNoMoreThanSomeTimesAMinute() throws {
        let app = try AppPost(ConsoleVisitor.settings)
        let answers = try (1...40).map { try app.get("/search?q=M0000000\(10 + $0)&stores=true").body }
        // The minute may end on the way.
        #expect(answers.contains { $0.contains("too many questions in this minute") }, "\(answers)")
    }

    @Test func stripeIsAskedForInvoicesAndAddresses() throws {
        let stripe = AnsweringServer { request in
            switch request.path {
            case "/v1/invoices/search" where request.query.contains("ABCD1234-0001"):
                AnsweringServer.Answer(200, body: #"{"data":[{"id":"in_1","subscription":"sub_1"}]}"#)
            case "/v1/customers":
                AnsweringServer.Answer(403, body: #"{"error":{"message":"mara@example.com"}}"#)
            default: AnsweringServer.Answer(200, body: #"{"object":"list","data":[]}"#)
            }
        }
        let settings = ["PAYCAST_STRIPE_API_KEY": "rk_test_1", "PAYCAST_STRIPE_API_URL": stripe.url]
        let app = try AppPost(ConsoleVisitor.settings.merging(settings) { $1 })
        let desk = try ConsoleVisitor(app)
        let invoice = try desk.search("ABCD1234-0001").body
        #expect(invoice.contains("Stripe knows it: sub_1") && invoice.contains("nobody’s yet"), "\(invoice)")
        let address = try desk.search("mara@example.com").body
        #expect(address.contains("PAYCAST_STRIPE_API_KEY may not read customers"), "\(address)")
        #expect(try desk.search("2345-6789").body.contains("It looks like a receipt"))
        #expect(stripe.requests.contains { $0.query.contains("receipt_number") })
        #expect(stripe.requests.contains { $0.path == "/v1/customers" && $0.query.contains("mara%40example.com") })
        #expect(!app.server.process.errors.contains("mara"), "\(app.server.process.errors)")
    }

    /// A store that hangs is waited for in vain, and not for long.
    @Test func aStoreThatDoesNotAnswerIsSaidToBe() throws {
        let stripe = AnsweringServer { _ in .silence }
        let settings = ["PAYCAST_STRIPE_API_KEY": "rk_test_1", "PAYCAST_STRIPE_API_URL": stripe.url]
        let app = try AppPost(ConsoleVisitor.settings.merging(settings) { $1 })
        let answer = try ConsoleVisitor(app).search("ABCD1234-0001")
        #expect(answer.status == 200 && answer.body.contains("Stripe could not tell: it does not answer"), "\(answer)")
        #expect(!answer.body.contains("rk_test_1"))
    }
}
